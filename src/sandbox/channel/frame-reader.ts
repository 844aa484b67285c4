import type { Readable } from "node:stream";
import { toError } from "./to-error.js";
import { FrameDecoder } from "./frame-decoder.js";
import type { Frame } from "./frame.js";

/** Options of readFrames. */
export interface FrameReaderOptions {
  /** Receives each frame in order. While a returned promise is pending, the stream is paused. */
  readonly onFrame: (frame: Frame) => void | Promise<void>;
  /** Hears once why reading stopped: a FrameError, or what `onFrame` threw. No frame follows. */
  readonly onError: (error: Error) => void;
  /** Hears that the stream has closed, after the last frame that came was handed on. Default: nobody. */
  readonly onClosed?: () => void;
}

/** Hands the frames of a stream to a callback, one at a time. */
export function readFrames(
  stream: Readable,
  { onFrame, onError, onClosed = () => undefined }: FrameReaderOptions,
): void {
  const decoder = new FrameDecoder();
  let busy = false;
  let failed = false;
  let closed = false;

  const fail = (error: unknown): void => {
    failed = true;
    onError(toError(error));
  };
  const drain = (): void => {
    try {
      for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
        const pending = onFrame(frame);
        if (!(pending instanceof Promise)) continue;
        busy = true;
        stream.pause();
        pending.then(() => {
          busy = false;
          stream.resume();
          drain();
        }, fail);
        return;
      }
    } catch (error) {
      fail(error);
    }
    if (closed) onClosed();
  };
  stream.once("close", () => {
    closed = true;
    if (!busy) onClosed();
  });
  stream.on("data", (chunk: Uint8Array) => {
    if (failed) return;
    decoder.push(chunk);
    if (!busy) drain();
  });
}
