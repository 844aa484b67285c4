import { maxMessageBytes } from "./channel-limits.js";

/** What the payload of a frame is. */
export const FrameKind = {
  /** An encoded message. */
  message: 0,
  /** An encoded AgentError. Last frame. */
  error: 1,
  /** Empty: the sender is done and all went well. Last frame. */
  end: 2,
} as const;

/** What the payload of a frame is. */
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

/** A unit of a stream's body: one byte of kind, four bytes of length (high byte first), the payload. */
export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Uint8Array;
}

/** Bytes before the payload of a frame. */
export const frameHeaderBytes = 5;

/** The bytes on a stream are not frames, or a frame is too large. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Throws FrameError if a message of that many bytes may not travel. */
export function checkMessageSize(sizeBytes: number): void {
  if (sizeBytes > maxMessageBytes)
    throw new FrameError(
      `a message of ${sizeBytes} bytes is above the limit of ${maxMessageBytes} bytes; send less at a time`,
    );
}

/** Encodes frames into one piece of memory. Throws FrameError if one is too large. */
export function encodeFrames(...frames: readonly Frame[]): Buffer {
  let size = 0;
  for (const { payload } of frames) {
    checkMessageSize(payload.byteLength);
    size += frameHeaderBytes + payload.byteLength;
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { kind, payload } of frames) {
    at = bytes.writeUInt8(kind, at);
    at = bytes.writeUInt32BE(payload.byteLength, at);
    bytes.set(payload, at);
    at += payload.byteLength;
  }
  return bytes;
}

/** The frame that ends a stream that went well. */
export const endFrame: Frame = { kind: FrameKind.end, payload: new Uint8Array(0) };
