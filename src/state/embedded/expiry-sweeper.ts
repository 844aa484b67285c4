import { headAt, removeRecord } from "./apply-changes.js";
import type { StateDatabase, Tables } from "./database.js";
import { decodeExpiry, expiredEnd, type ExpiryEntry } from "./expiry-bytes.js";

/** Options of ExpirySweeper. */
export interface ExpirySweeperOptions {
  readonly database: StateDatabase;
  readonly now: () => number;
  /** Told of a sweep that failed; the next one tries again. */
  readonly report: (error: unknown) => void;
  /** From one sweep that found nothing more to the next, in ms. Default 1,000. */
  readonly restMs?: number;
}

const MAX_RECORDS_AT_ONCE = 200;
const MAX_BYTES_AT_ONCE = 1024 * 1024;
const PAUSE_MS = 10;

/**
 * Removes records that have expired, in the background: at most 200 records and 1 MiB (or one record) a transaction, with a
 * pause after each. Does not keep the process alive.
 */
export class ExpirySweeper {
  readonly #options: ExpirySweeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ExpirySweeperOptions) {
    this.#options = options;
    this.#schedule(PAUSE_MS);
  }

  /** No sweep comes after this. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#run(), delayMs);
    this.#timer.unref();
  }

  #run(): void {
    const { database, now, report, restMs = 1000 } = this.#options;
    let delayMs = restMs;
    try {
      const expired = expiredEntries(database.tables, now());
      if (expired.length > 0) {
        database.write((tables) => removeExpired(tables, expired));
        delayMs = PAUSE_MS;
      }
    } catch (error) {
      report(error);
    }
    this.#schedule(delayMs);
  }
}

interface IndexedEntry extends ExpiryEntry {
  readonly indexKey: Buffer;
}

/** The first entries of the index that are due, as many as one transaction takes. */
function expiredEntries({ expiry }: Tables, nowMs: number): IndexedEntry[] {
  const due: IndexedEntry[] = [];
  let bytes = 0;
  for (const { key, value } of expiry.getRange({
    end: expiredEnd(nowMs),
    limit: MAX_RECORDS_AT_ONCE,
  })) {
    const entry = { ...decodeExpiry(key, value), indexKey: key };
    bytes += entry.recordBytes;
    if (due.length > 0 && bytes > MAX_BYTES_AT_ONCE) break;
    due.push(entry);
  }
  return due;
}

/** Removes the records of entries unless they have been written anew, and the entries. */
function removeExpired(tables: Tables, entries: readonly IndexedEntry[]): void {
  for (const { indexKey, recordKey, version } of entries) {
    const head = headAt(tables, recordKey);
    if (head?.version.equals(version)) removeRecord(tables, recordKey, head);
    else tables.expiry.removeSync(indexKey);
  }
}
