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
}

/** Hands the frames of a stream to a callback, one at a time. */
export function readFrames(stream: Readable, { onFrame, onError }: FrameReaderOptions): void {
  const decoder = new FrameDecoder();
  let busy = false;
  let failed = false;

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
  };
  stream.on("data", (chunk: Uint8Array) => {
    if (failed) return;
    decoder.push(chunk);
    if (!busy) drain();
  });
}
