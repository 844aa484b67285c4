import { FRAME_HEADER_BYTES } from "./frames.js";

/** One frame; the payload is a view of the bytes that were received. */
export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

/** Cuts received bytes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Adds received bytes and returns the frames that they complete. */
  read(chunk: Buffer): Frame[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + bytes.readUInt32LE(at);
      if (end > bytes.length) break;
      frames.push({ type: bytes[at + 4] ?? 0, payload: bytes.subarray(at + FRAME_HEADER_BYTES, end) });
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return frames;
  }
}
