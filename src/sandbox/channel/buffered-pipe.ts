import { Duplex } from "node:stream";
import type { Readable, Writable } from "node:stream";

/** What a BufferedPipe is made of. */
export interface BufferedPipeOptions {
  /** What the other end writes. */
  readonly input: Readable;
  /** What the other end reads. */
  readonly output: Writable;
  /** Bytes that were read from `input` before and belong to the pipe. Default: none. */
  readonly rest?: Uint8Array;
}

type Done = (error?: Error | null) => void;

/**
 * A readable and a writable half as one byte pipe that takes writes at once and keeps them until the other end reads.
 *
 * An HTTP/2 session of Node reads nothing while a write of its own is under way. Two such sessions that both have much to
 * say wait for each other without end, unless one of them writes to a pipe like this. What it keeps is bounded by the
 * flow control of the other end: at most the window of the channel.
 */
export class BufferedPipe extends Duplex {
  readonly #input: Readable;
  readonly #output: Writable;

  constructor({ input, output, rest }: BufferedPipeOptions) {
    super({ allowHalfOpen: false });
    this.#input = input;
    this.#output = output;
    if (rest !== undefined && rest.byteLength > 0) this.push(rest);
    input.on("data", (chunk: Uint8Array) => {
      if (!this.push(chunk)) input.pause();
    });
    input.once("end", () => this.push(null));
    input.once("close", () => this.push(null));
    input.on("error", (error) => this.destroy(error));
    output.on("error", (error) => this.destroy(error));
    output.once("close", () => this.destroy());
    input.pause();
  }

  override _read(): void {
    this.#input.resume();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: Done): void {
    this.#output.write(chunk);
    done();
  }

  override _writev(chunks: readonly { chunk: Uint8Array }[], done: Done): void {
    this.#output.cork();
    for (const { chunk } of chunks) this.#output.write(chunk);
    this.#output.uncork();
    done();
  }

  override _final(done: Done): void {
    this.#output.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#input.destroy();
    this.#output.destroy();
    done(error);
  }
}
