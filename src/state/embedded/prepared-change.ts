import type { StateChange } from "../store.js";
import { encodeKey } from "./key-bytes.js";
import { encodeRecord, type RecordHead } from "./record-bytes.js";

/** A change in the bytes of the database. */
export interface PreparedChange {
  readonly key: Buffer;
  /** "" for nothing, absent for anything. */
  readonly ifVersion: string | undefined;
  /** What to put; absent: remove. */
  readonly put: { readonly head: RecordHead; readonly stored: Buffer } | undefined;
}

/** Copies a change into the bytes of the database. Throws RangeError for a key, a value or a time that it cannot hold. */
export function prepareChange(change: StateChange, nextVersion: () => Buffer): PreparedChange {
  const key = encodeKey(change.key);
  const { ifVersion } = change;
  if ("remove" in change) return { key, ifVersion, put: undefined };
  const head = { version: nextVersion(), expiresAtMs: change.expiresAtMs ?? Infinity };
  return { key, ifVersion, put: { head, stored: encodeRecord(head, change.put) } };
}
