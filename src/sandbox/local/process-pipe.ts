import type { ChildProcessByStdio } from "node:child_process";
import { Duplex, type Readable, type Writable } from "node:stream";
import { writeTogether } from "../write-together.js";
import { ByteTail, STDERR_TAIL_BYTES } from "../byte-tail.js";

/** A child whose three standard streams are pipes. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Standard input and output of a child process as one stream; held back in both directions. Keeps a tail of its errors. */
export class ProcessPipe extends Duplex {
  readonly #child: PipedChild;
  readonly #stderr = new ByteTail(STDERR_TAIL_BYTES);

  constructor(child: PipedChild) {
    super({ allowHalfOpen: false });
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => {
      if (!this.destroyed && !this.push(chunk)) child.stdout.pause();
    });
    child.stdout.on("end", () => this.push(null));
    child.stdout.on("error", (error) => this.destroy(error));
    child.stdin.on("error", (error) => this.destroy(error));
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    child.stderr.on("error", (error) => this.destroy(error));
  }

  /** The last bytes of standard error, at most 4 KiB. */
  stderrTail(): string {
    return this.#stderr.text();
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#child.stdin.write(chunk, callback);
  }

  override _writev(chunks: readonly { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    writeTogether(this.#child.stdin, chunks, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#child.stdin.destroyed) callback();
    else this.#child.stdin.end(() => callback());
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    callback(error);
  }
}
