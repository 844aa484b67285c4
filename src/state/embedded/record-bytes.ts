import { VERSION_BYTES } from "./version-source.js";

/** Most bytes of a value. */
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;

const EXPIRY_BYTES = 8;
const HEAD_BYTES = VERSION_BYTES + EXPIRY_BYTES;

/** What stands before the value of a record. */
export interface RecordHead {
  readonly version: Buffer;
  /** In ms since 1970; Infinity: never. */
  readonly expiresAtMs: number;
}

/** The stored bytes of a record. Throws RangeError for a value above MAX_VALUE_BYTES or a time that is not a number. */
export function encodeRecord({ version, expiresAtMs }: RecordHead, value: Uint8Array): Buffer {
  if (value.length > MAX_VALUE_BYTES)
    throw new RangeError(`a state value of ${value.length} bytes is above the limit of ${MAX_VALUE_BYTES}`);
  if (Number.isNaN(expiresAtMs)) throw new RangeError("expiresAtMs is not a number");
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + value.length);
  version.copy(bytes);
  bytes.writeDoubleBE(expiresAtMs, VERSION_BYTES);
  bytes.set(value, HEAD_BYTES);
  return bytes;
}

/** Copies the head out of stored bytes. Throws RangeError if there are too few. */
export function readHead(stored: Uint8Array): RecordHead {
  const head = Buffer.from(stored.subarray(0, HEAD_BYTES));
  return {
    version: head.subarray(0, VERSION_BYTES),
    expiresAtMs: head.readDoubleBE(VERSION_BYTES),
  };
}

/** The value in stored bytes, which it shares. */
export function valueOf(stored: Uint8Array): Uint8Array {
  return new Uint8Array(stored.buffer, stored.byteOffset + HEAD_BYTES, stored.byteLength - HEAD_BYTES);
}

/** True from the moment that a record expires. */
export function isExpired({ expiresAtMs }: RecordHead, nowMs: number): boolean {
  return expiresAtMs <= nowMs;
}
