import type { Http2Stream } from "node:http2";
import { setImmediate } from "node:timers/promises";
import { deferred } from "./deferred.js";
import type { Deferred } from "./deferred.js";

const highWaterBytes = 256 * 1024;

/** Writes frames to a stream, those of one turn together, and tells when the other end should be waited for. */
export class FrameWriter {
  readonly #stream: Http2Stream;
  #pendingBytes = 0;
  #waiting: Deferred<void> | undefined;

  constructor(stream: Http2Stream) {
    this.#stream = stream;
    stream.once("close", () => {
      this.#pendingBytes = 0;
      this.#release();
    });
  }

  /**
   * Writes encoded frames. Returns nothing if more may follow at once, or else a promise that resolves when enough has
   * left, or when the stream has closed. On a closed stream the bytes are dropped, and the promise resolves in a later
   * turn, so that one who writes until he hears of the end does hear of it.
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (!this.#open) return setImmediate();
    this.#pendingBytes += bytes.byteLength;
    this.#stream.cork();
    process.nextTick(() => this.#stream.uncork());
    this.#stream.write(bytes, () => {
      this.#pendingBytes -= bytes.byteLength;
      if (this.#pendingBytes < highWaterBytes) this.#release();
    });
    if (this.#pendingBytes < highWaterBytes) return undefined;
    this.#waiting ??= deferred<void>();
    return this.#waiting.promise;
  }

  /** Writes the last frames and half-closes the stream. */
  end(bytes: Uint8Array): void {
    if (this.#open) this.#stream.end(bytes);
  }

  get #open(): boolean {
    return !this.#stream.destroyed && !this.#stream.closed && !this.#stream.writableEnded;
  }

  #release(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
