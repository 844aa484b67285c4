import type { StateKey } from "../store.js";

/** Most bytes of a key; LMDB takes 1,978 with pages of 4 KiB. */
export const MAX_KEY_BYTES = 1900;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The bytes of a key: space and parts in UTF-8, a NUL after each. They sort as keys do, and are a prefix of the bytes of
 * every key that continues the key. Throws RangeError for a string with NUL or a lone surrogate, or above MAX_KEY_BYTES.
 */
export function encodeKey({ space, parts }: StateKey): Buffer {
  const names = [space, ...parts];
  for (const name of names) {
    if (name.includes("\0") || LONE_SURROGATE.test(name))
      throw new RangeError("a part of a state key has a NUL or a lone surrogate: leave it out");
  }
  const bytes = Buffer.from(`${names.join("\0")}\0`);
  if (bytes.length > MAX_KEY_BYTES)
    throw new RangeError(`a state key of ${bytes.length} bytes is above the limit of ${MAX_KEY_BYTES}`);
  return bytes;
}

/** The key that encodeKey made these bytes of. */
export function decodeKey(bytes: Uint8Array): StateKey {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const [space = "", ...parts] = text.slice(0, -1).split("\0");
  return { space, parts };
}

/** A range of keys; `end` is the first one beyond it. */
export interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
}

/** The range of all keys that continue `prefix`, itself included. Throws RangeError as encodeKey does. */
export function rangeUnder(prefix: StateKey): KeyRange {
  const start = encodeKey(prefix);
  const end = Buffer.from(start);
  end[end.length - 1] = 1;
  return { start, end };
}

/** The first key after `key`. */
export function keyAfter(key: Uint8Array): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}
