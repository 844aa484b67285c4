import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Joins two byte pipes: what one reads the other writes, held back by the slower, and each direction ends by itself. If one
 * breaks off, the other is destroyed, a socket by a reset, so that no part passes for the whole. Resolves when both are closed, with the error of the first that broke off, or
 * nothing if both ended.
 */
export async function joinStreams(one: Duplex, other: Duplex): Promise<Error | undefined> {
  let failure: Error | undefined;
  const watch = (stream: Duplex, peer: Duplex): Promise<void> =>
    new Promise((resolve) => {
      stream.on("error", (error: Error) => (failure ??= error));
      const onClose = (): void => {
        if (!stream.readableEnded || !stream.writableFinished) {
          failure ??= new Error("the connection broke off");
          breakOff(peer);
        }
        resolve();
      };
      if (stream.closed) onClose();
      else stream.once("close", onClose);
    });
  const closed = Promise.all([watch(one, other), watch(other, one)]);
  one.pipe(other);
  other.pipe(one);
  await closed;
  return failure;
}

function breakOff(stream: Duplex): void {
  if (stream instanceof Socket && !stream.destroyed) stream.resetAndDestroy();
  else stream.destroy();
}
