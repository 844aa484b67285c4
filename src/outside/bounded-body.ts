import { Transform, pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { OutsideError } from "./outside-error.js";

/** Most content encodings that may lie over each other. */
const maxEncodings = 2;

/**
 * The body of a response, decompressed, cut off with OutsideError `outside.too_large` once it has given more than
 * `maxBytes`; the compressed bytes count too. Throws OutsideError `outside.broken` for an encoding that is not known.
 */
export function boundedBody(raw: Readable, options: { encoding: string; maxBytes: number }): Readable {
  const { encoding, maxBytes } = options;
  const names = encoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > maxEncodings)
    throw new OutsideError(
      "outside.broken",
      `the body has ${names.length} encodings, more than ${maxEncodings}`,
    );
  const stages = [byteLimit(maxBytes), ...names.reverse().map(decompressor)];
  if (names.length > 0) stages.push(byteLimit(maxBytes));
  const last = stages.at(-1) ?? byteLimit(maxBytes);
  pipeline([raw, ...stages], (error) => {
    if (error != null) last.destroy(asOutsideError(error));
  });
  return last;
}

function byteLimit(maxBytes: number): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      count += chunk.byteLength;
      if (count <= maxBytes) done(null, chunk);
      else
        done(new OutsideError("outside.too_large", `the body is larger than the limit of ${maxBytes} bytes`));
    },
  });
}

function decompressor(name: string): Transform {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new OutsideError("outside.broken", "the body has an encoding that was not asked for");
  }
}

function asOutsideError(error: Error): Error {
  if (error instanceof OutsideError || error.name === "AbortError") return error;
  return new OutsideError("outside.broken", "the body broke off or is not what its headers say", {
    cause: error,
  });
}
