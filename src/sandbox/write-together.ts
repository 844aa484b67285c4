import type { Writable } from "node:stream";

/** Hands chunks to a stream so that they leave together. `done` is called once the stream has taken the last. */
export function writeTogether(
  stream: Writable,
  chunks: readonly { readonly chunk: Uint8Array }[],
  done: (error?: Error | null) => void,
): void {
  stream.cork();
  chunks.forEach(({ chunk }, index) => {
    if (index < chunks.length - 1) stream.write(chunk);
    else stream.write(chunk, done);
  });
  stream.uncork();
}
