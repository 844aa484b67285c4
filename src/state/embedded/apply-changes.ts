import type { Tables } from "./database.js";
import { encodeExpiryValue, expiryKey } from "./expiry-bytes.js";
import type { PreparedChange } from "./prepared-change.js";
import { isExpired, readHead, type RecordHead } from "./record-bytes.js";

/** Makes all changes, or none if a condition does not hold; true if made. To be called in a write transaction. */
export function applyChanges(tables: Tables, changes: readonly PreparedChange[], nowMs: number): boolean {
  if (!changes.every((change) => holds(tables, change, nowMs))) return false;
  for (const { key, put } of changes) {
    removeRecord(tables, key, headAt(tables, key));
    if (put === undefined) continue;
    tables.records.putSync(key, put.stored);
    const index = expiryKey(put.head);
    if (index !== undefined)
      tables.expiry.putSync(index, encodeExpiryValue({ recordBytes: put.stored.length, recordKey: key }));
  }
  return true;
}

/** The head of the record at a key, expired or not. */
export function headAt({ records }: Tables, key: Buffer): RecordHead | undefined {
  const stored = records.getBinaryFast(key);
  return stored === undefined ? undefined : readHead(stored);
}

/** Removes a record and its entry in the index. To be called in a write transaction. */
export function removeRecord(tables: Tables, key: Buffer, head: RecordHead | undefined): void {
  if (head === undefined) return;
  tables.records.removeSync(key);
  const index = expiryKey(head);
  if (index !== undefined) tables.expiry.removeSync(index);
}

function holds(tables: Tables, { key, ifVersion }: PreparedChange, nowMs: number): boolean {
  if (ifVersion === undefined) return true;
  const head = headAt(tables, key);
  const live = head === undefined || isExpired(head, nowMs) ? "" : head.version.toString("hex");
  return live === ifVersion;
}
