import { setImmediate as nextTurn } from "node:timers/promises";
import type { StateChange, StateEntry, StateKey, StateRecord, StateStore } from "../store.js";
import { StateError } from "../store.js";
import { applyChanges } from "./apply-changes.js";
import type { StateDatabase, Table } from "./database.js";
import { ExpirySweeper } from "./expiry-sweeper.js";
import { decodeKey, encodeKey, keyAfter, rangeUnder, type KeyRange } from "./key-bytes.js";
import { prepareChange } from "./prepared-change.js";
import { isExpired, readHead, valueOf } from "./record-bytes.js";
import { createVersionSource } from "./version-source.js";

/** Options of EmbeddedStore. */
export interface EmbeddedStoreOptions {
  readonly database: StateDatabase;
  /** In ms since 1970. */
  readonly now: () => number;
  /** Told of a sweep that failed; the next one tries again. */
  readonly report: (error: unknown) => void;
  /** Lets go of the directory, at the end of close. */
  readonly release: () => void;
}

const MAX_RECORDS_A_STEP = 64;
const MAX_BYTES_A_STEP = 1024 * 1024;

/** A state store in a database of this process. */
export class EmbeddedStore implements StateStore {
  readonly #database: StateDatabase;
  readonly #now: () => number;
  readonly #release: () => void;
  readonly #sweeper: ExpirySweeper;
  readonly #nextVersion = createVersionSource();
  #closed: Promise<void> | undefined;

  constructor({ database, now, report, release }: EmbeddedStoreOptions) {
    this.#database = database;
    this.#now = now;
    this.#release = release;
    this.#sweeper = new ExpirySweeper({ database, now, report });
  }

  get(key: StateKey): Promise<StateRecord | undefined> {
    return new Promise((resolve) => resolve(this.#read(key)));
  }

  commit(changes: readonly StateChange[]): Promise<boolean> {
    return new Promise((resolve) => resolve(this.#commit(changes)));
  }

  #commit(changes: readonly StateChange[]): boolean {
    this.#assertOpen();
    const prepared = changes.map((change) => prepareChange(change, this.#nextVersion));
    if (prepared.length === 0) return true;
    return this.#database.write((tables) => applyChanges(tables, prepared, this.#now()));
  }

  async *list(options: {
    space: string;
    prefix: readonly string[];
    limit?: number;
  }): AsyncGenerator<StateEntry, void, undefined> {
    const { space, prefix, limit = Infinity } = options;
    const range = rangeUnder({ space, parts: prefix });
    let { start } = range;
    let given = 0;
    for (;;) {
      this.#assertOpen();
      const step = readStep(this.#database.tables.records, { ...range, start });
      for (const { key, stored } of step) {
        const record = recordOf(stored, this.#now());
        if (record === undefined) continue;
        if (given >= limit) return;
        given += 1;
        yield { key: decodeKey(key), ...record };
      }
      const last = step.at(-1);
      if (last === undefined || given >= limit) return;
      start = keyAfter(last.key);
      await nextTurn();
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #read(key: StateKey): StateRecord | undefined {
    this.#assertOpen();
    const stored = this.#database.tables.records.getBinary(encodeKey(key));
    return stored === undefined ? undefined : recordOf(stored, this.#now());
  }

  async #close(): Promise<void> {
    try {
      this.#sweeper.stop();
      await this.#database.close();
    } finally {
      this.#release();
    }
  }

  #assertOpen(): void {
    if (this.#closed !== undefined)
      throw new StateError("unusable", "the state store is closed: open it again to use it");
  }
}

interface StoredEntry {
  readonly key: Buffer;
  readonly stored: Buffer;
}

/** The first records of a range, as many as are read at once. */
function readStep(records: Table, range: KeyRange): StoredEntry[] {
  const step: StoredEntry[] = [];
  let bytes = 0;
  for (const { key, value } of records.getRange({ ...range, limit: MAX_RECORDS_A_STEP })) {
    step.push({ key, stored: value });
    bytes += value.length;
    if (bytes > MAX_BYTES_A_STEP) break;
  }
  return step;
}

function recordOf(stored: Buffer, nowMs: number): StateRecord | undefined {
  const head = readHead(stored);
  if (isExpired(head, nowMs)) return undefined;
  return { value: valueOf(stored), version: head.version.toString("hex") };
}
