import { open } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { open as openLmdb, type Database, type RootDatabase } from "lmdb";
import type { StateError } from "../store.js";
import { assertRoom } from "./assert-room.js";
import { codeOf, stateErrorOf } from "./failure-of.js";

/** A table of bytes by bytes. */
export type Table = Database<Buffer, Buffer>;

/** What is stored. */
export interface Tables {
  /** Records by the bytes of their key. */
  readonly records: Table;
  /** The records that expire, by the time they do. */
  readonly expiry: Table;
}

/**
 * The LMDB environment of a directory. Reads see the last commit and need no lock.
 *
 * A commit hands its pages to the kernel and does not wait for the disk (`noSync`): it is there after this process was
 * killed at any moment, as the kernel keeps what it was handed. A machine that loses power may lose the latest commits, or
 * leave a damaged file, unless the store was closed before. LMDB's other way (`overlappingSync`) keeps the file sound then,
 * but makes each commit wait for the flush of the one before it, some milliseconds.
 *
 * Without `eventTurnBatching`, as LMDB gives the promise of a batch to nobody, and its rejection would end the process.
 */
export class StateDatabase {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #directory: string;
  readonly tables: Tables;
  #lastWrite: Promise<void> = Promise.resolve();

  /** Opens the database, made if it is not there. Throws StateError. A damaged file may kill the process. */
  constructor(directory: string) {
    this.#directory = directory;
    try {
      this.#root = openLmdb({
        path: directory,
        noSubdir: false,
        noSync: true,
        eventTurnBatching: false,
        encoding: "binary",
      });
      const table = (name: string): Table =>
        this.#root.openDB<Buffer, Buffer>({ name, encoding: "binary", keyEncoding: "binary" });
      this.tables = { records: table("records"), expiry: table("expiry") };
    } catch (cause) {
      throw failureIn(directory, cause);
    }
  }

  /**
   * Runs `work` in a write transaction and resolves with its result after the commit. Works that are asked for at once
   * share a transaction, and run in the order they were asked for. Rejects with StateError, all undone, if it fails.
   */
  async write<Result>(work: (tables: Tables) => Result): Promise<Result> {
    const written = this.#transact(work);
    const settled = () => undefined;
    this.#lastWrite = written.then(settled, settled);
    return await written;
  }

  /** Waits for writes, flushes them to the disk and closes. Rejects with StateError if the flush failed. */
  async close(): Promise<void> {
    await this.#lastWrite;
    await this.#root.close();
    try {
      await flushFile(join(this.#directory, "data.mdb"));
    } catch (cause) {
      throw stateErrorOf(cause, this.#directory);
    }
  }

  async #transact<Result>(work: (tables: Tables) => Result): Promise<Result> {
    let thrown: unknown;
    try {
      return await this.#root.transaction(() => {
        try {
          return work(this.tables);
        } catch (error) {
          thrown = error;
          throw error;
        }
      });
    } catch (error) {
      const cause = await commitCauseOf(error);
      throw failureIn(this.#directory, thrown ?? cause);
    }
  }
}

async function flushFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

function failureIn(directory: string, cause: unknown): StateError {
  if (codeOf(cause) !== constants.errno.EIO) return stateErrorOf(cause, directory);
  try {
    assertRoom(directory);
  } catch (full) {
    return stateErrorOf(full, directory);
  }
  return stateErrorOf(cause, directory);
}

/** LMDB rejects with an error that holds a promise of the cause. */
async function commitCauseOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
