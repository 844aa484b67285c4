import { checkMessageSize, FrameError, frameHeaderBytes, FrameKind } from "./frame.js";
import type { Frame } from "./frame.js";

/** Cuts a stream of bytes into frames. Bytes are copied only where a frame spans chunks, and then once. */
export class FrameDecoder {
  #chunks: Uint8Array[] = [];
  #first = 0;
  #offset = 0;
  #available = 0;
  #header: { kind: FrameKind; length: number } | undefined;

  /** Takes the next bytes. They must not change afterwards. */
  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    this.#chunks.push(chunk);
    this.#available += chunk.byteLength;
  }

  /** The next whole frame, if it is there. Throws FrameError if the bytes are not a frame or announce too large a one. */
  next(): Frame | undefined {
    this.#header ??= this.#readHeader();
    if (this.#header === undefined || this.#available < this.#header.length) return undefined;
    const { kind, length } = this.#header;
    this.#header = undefined;
    return { kind, payload: this.#take(length) };
  }

  #readHeader(): { kind: FrameKind; length: number } | undefined {
    if (this.#available < frameHeaderBytes) return undefined;
    const bytes = this.#take(frameHeaderBytes);
    const kind = bytes[0];
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
    if (kind !== FrameKind.message && kind !== FrameKind.error && kind !== FrameKind.end)
      throw new FrameError(`${String(kind)} is not a kind of frame`);
    checkMessageSize(length);
    return { kind, length };
  }

  #take(count: number): Uint8Array {
    this.#available -= count;
    const first = this.#chunks[this.#first];
    if (first !== undefined && first.byteLength - this.#offset >= count) {
      const taken = first.subarray(this.#offset, this.#offset + count);
      this.#skip(first, count);
      return taken;
    }
    const taken = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const chunk = this.#chunks[this.#first];
      if (chunk === undefined) throw new FrameError("fewer bytes than were counted");
      const part = chunk.subarray(this.#offset, this.#offset + count - filled);
      taken.set(part, filled);
      filled += part.byteLength;
      this.#skip(chunk, part.byteLength);
    }
    return taken;
  }

  #skip(chunk: Uint8Array, count: number): void {
    this.#offset += count;
    if (this.#offset < chunk.byteLength) return;
    this.#offset = 0;
    this.#first += 1;
    if (this.#first === this.#chunks.length) {
      this.#chunks = [];
      this.#first = 0;
    } else if (this.#first >= 1024 && this.#first * 2 >= this.#chunks.length) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
  }
}
