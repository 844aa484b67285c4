import { Duplex } from "node:stream";
import type { Readable, Writable } from "node:stream";

/** Options of StdioPipe. */
export interface StdioPipeOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Bytes that were read from `stdin` before and belong to the pipe. */
  readonly rest: Uint8Array;
}

/** Standard input and output as one byte pipe, with back-pressure in both directions. */
export class StdioPipe extends Duplex {
  readonly #stdin: Readable;
  readonly #stdout: Writable;

  constructor({ stdin, stdout, rest }: StdioPipeOptions) {
    super({ allowHalfOpen: false });
    this.#stdin = stdin;
    this.#stdout = stdout;
    if (rest.byteLength > 0) this.push(rest);
    stdin.on("data", (chunk: Uint8Array) => {
      if (!this.push(chunk)) stdin.pause();
    });
    stdin.once("end", () => this.push(null));
    stdin.once("close", () => this.push(null));
    stdin.once("error", (error) => this.destroy(error));
    stdout.once("error", (error) => this.destroy(error));
    stdout.once("close", () => this.destroy());
    stdin.pause();
  }

  override _read(): void {
    this.#stdin.resume();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    this.#stdout.write(chunk, done);
  }

  override _writev(
    chunks: readonly { chunk: Uint8Array; encoding: string }[],
    done: (error?: Error | null) => void,
  ): void {
    const last = chunks.length - 1;
    this.#stdout.cork();
    chunks.forEach(({ chunk }, index) => {
      if (index < last) this.#stdout.write(chunk);
      else this.#stdout.write(chunk, done);
    });
    this.#stdout.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#stdout.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stdin.destroy();
    this.#stdout.destroy();
    done(error);
  }
}
