import type { Tables } from "./database.js";
import { decodeExpiry } from "./expiry-bytes.js";
import { codeOf } from "./failure-of.js";
import { decodeKey } from "./key-bytes.js";
import { readHead } from "./record-bytes.js";

/** Something that the store does not write was found. */
export class MalformedEntry extends Error {
  override readonly name = "MalformedEntry";
}

/** Reads every page that holds a record, and the index; the number of records. Throws MalformedEntry, or what LMDB throws. */
export function readAll({ records, expiry }: Tables): number {
  let count = 0;
  try {
    for (const { key, value } of records.getRange({})) {
      decodeKey(key);
      readHead(value);
      count += 1;
    }
    for (const { key, value } of expiry.getRange({})) decodeExpiry(key, value);
  } catch (cause) {
    if (typeof codeOf(cause) === "number") throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MalformedEntry(`malformed after ${count} records: ${why}`, { cause });
  }
  return count;
}
