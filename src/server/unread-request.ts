import { constants } from "node:http2";
import type { Http2ServerResponse } from "node:http2";

const maxBytes = 8 * 1024 * 1024;
const maxMs = 5000;

/**
 * Reads and drops what is left of the request of an HTTP/2 stream whose answer is ending, so that its client can finish
 * and see the answer. The stream of a client that sends more than 8 MiB, or for longer than 5 s, is reset.
 */
export function dropUnread({ req, stream }: Http2ServerResponse): void {
  if (stream.destroyed || stream.readableEnded) return;
  let leftBytes = maxBytes;
  const reset = (): void => stream.close(constants.NGHTTP2_CANCEL);
  const timer = setTimeout(reset, maxMs);
  stream.once("close", () => clearTimeout(timer));
  req.on("data", (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) reset();
  });
  stream.resume();
}
