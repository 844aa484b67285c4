import { checkMessageSize, FrameError, frameHeaderBytes, FrameKind } from "./frame.js";
import type { Frame } from "./frame.js";

const firstGrowthBytes = 256 * 1024;
/** Room for the start of the next frame, which comes in one chunk with the end of this one. */
const slackBytes = 16 * 1024;

/**
 * Cuts a stream of bytes into frames. Frames that lie whole in a chunk are not copied; the others are, with memory that
 * grows with the bytes that have come and not with those that are announced.
 */
export class FrameDecoder {
  /** Memory of the bytes that were not taken yet: a chunk, or a copy with room behind its bytes. */
  #memory: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #isOwn = false;
  #header: { kind: FrameKind; length: number } | undefined;

  /** Takes the next bytes. They must not change afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#start === this.#end) {
      this.#memory = chunk;
      this.#start = 0;
      this.#end = chunk.byteLength;
      this.#isOwn = false;
      return;
    }
    this.#makeRoom(chunk.byteLength);
    this.#memory.set(chunk, this.#end);
    this.#end += chunk.byteLength;
  }

  /** The next whole frame, if it is there. Throws FrameError if the bytes are not a frame or announce too large a one. */
  next(): Frame | undefined {
    this.#header ??= this.#readHeader();
    if (this.#header === undefined || this.#end - this.#start < this.#header.length) return undefined;
    const { kind, length } = this.#header;
    this.#header = undefined;
    return { kind, payload: this.#take(length) };
  }

  #readHeader(): { kind: FrameKind; length: number } | undefined {
    if (this.#end - this.#start < frameHeaderBytes) return undefined;
    const bytes = this.#take(frameHeaderBytes);
    const kind = bytes[0];
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
    if (kind !== FrameKind.message && kind !== FrameKind.error && kind !== FrameKind.end)
      throw new FrameError(`${String(kind)} is not a kind of frame`);
    checkMessageSize(length);
    return { kind, length };
  }

  #take(count: number): Uint8Array {
    this.#start += count;
    return this.#memory.subarray(this.#start - count, this.#start);
  }

  #makeRoom(bytes: number): void {
    if (this.#isOwn && this.#end + bytes <= this.#memory.byteLength) return;
    const held = this.#end - this.#start;
    const frame = this.#header?.length ?? 0;
    const size = Math.max(held + bytes, 2 * held, Math.min(frame, firstGrowthBytes) + slackBytes);
    const memory = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
    memory.set(this.#memory.subarray(this.#start, this.#end));
    this.#memory = memory;
    this.#start = 0;
    this.#end = held;
    this.#isOwn = true;
  }
}
