import type { RecordHead } from "./record-bytes.js";

const TIME_BYTES = 8;
const SIZE_BYTES = 4;

/** An entry of the index by expiry. */
export interface ExpiryEntry {
  readonly version: Buffer;
  /** Bytes of the record. */
  readonly recordBytes: number;
  readonly recordKey: Buffer;
}

/** The key of a record in the index by expiry; keys sort by time. Undefined for a record that never expires. */
export function expiryKey({ version, expiresAtMs }: RecordHead): Buffer | undefined {
  return expiresAtMs === Infinity ? undefined : Buffer.concat([timeBytes(expiresAtMs), version]);
}

/** The first key beyond those of records that have expired by `nowMs`. */
export function expiredEnd(nowMs: number): Buffer {
  return Buffer.concat([timeBytes(nowMs), Buffer.alloc(16, 0xff)]);
}

/** The value of an entry of the index. */
export function encodeExpiryValue({ recordBytes, recordKey }: Omit<ExpiryEntry, "version">): Buffer {
  const size = Buffer.alloc(SIZE_BYTES);
  size.writeUInt32BE(recordBytes);
  return Buffer.concat([size, recordKey]);
}

/** Reads an entry of the index. */
export function decodeExpiry(key: Buffer, value: Buffer): ExpiryEntry {
  return {
    version: key.subarray(TIME_BYTES),
    recordBytes: value.readUInt32BE(),
    recordKey: value.subarray(SIZE_BYTES),
  };
}

/** Eight bytes that sort as times do. */
function timeBytes(timeMs: number): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeDoubleBE(Math.max(0, timeMs));
  return bytes;
}
