import { Duplex } from "node:stream";
import { writeTogether } from "../write-together.js";
import { ByteTail, STDERR_TAIL_BYTES } from "../byte-tail.js";
import { FrameParser, type FrameSink } from "./frame-parser.js";

/** The first words of the engine's text when it could not start the program of an exec. */
const EXEC_FAILED = /^OCI runtime exec failed/;

/**
 * Standard input and output of an exec, over the engine's multiplexed connection. Reading stops the connection while
 * nobody takes the output; a write is done when the connection has taken it. `end` half-closes: output goes on. Text of
 * standard error is kept in a tail.
 */
export class ExecPipe extends Duplex {
  readonly #socket: Duplex;
  readonly #stderr = new ByteTail(STDERR_TAIL_BYTES);
  #seenOutput = false;

  /** Takes over the connection that the engine upgraded for an exec without a terminal. */
  constructor(socket: Duplex) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    const sink: FrameSink = {
      onStdout: (data) => this.#takeStdout(data),
      onStderr: (data) => this.#stderr.add(data),
    };
    const parser = new FrameParser(sink);
    socket.on("data", (chunk: Buffer) => {
      try {
        parser.add(chunk);
      } catch (error) {
        this.destroy(error instanceof Error ? error : new Error("the engine's stream cannot be read"));
      }
    });
    socket.on("end", () => {
      if (parser.isMidFrame) this.destroy(new Error("the engine's stream ended inside a frame"));
      else this.push(null);
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => {
      if (!socket.readableEnded) this.destroy(new Error("the connection to the engine was closed"));
    });
  }

  /** The last bytes of standard error, at most 4 KiB. */
  stderrTail(): string {
    return this.#stderr.text();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _writev(chunks: readonly { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    writeTogether(this.#socket, chunks, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#socket.destroyed) callback();
    else this.#socket.end(() => callback());
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }

  #takeStdout(data: Buffer): void {
    if (!this.#seenOutput && EXEC_FAILED.test(data.toString("latin1"))) {
      this.#stderr.add(data);
      this.destroy(new Error("the program of the exec could not be started"));
      return;
    }
    this.#seenOutput = true;
    if (!this.destroyed && !this.push(data)) this.#socket.pause();
  }
}
