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
 */
export class StateDatabase {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #directory: string;
  readonly tables: Tables;

  /** Opens the database, made if it is not there. Throws StateError. A damaged file may kill the process. */
  constructor(directory: string) {
    this.#directory = directory;
    try {
      this.#root = openLmdb({
        path: directory,
        noSubdir: false,
        noSync: true,
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
   * Runs `work` in a write transaction and returns its result after the commit. It is done at once, in this thread: without
   * a wait for the disk that takes some 0.03 ms, a part of what handing it to a thread and back takes. Throws StateError, all
   * undone, if it fails.
   */
  write<Result>(work: (tables: Tables) => Result): Result {
    try {
      return this.#root.transactionSync(() => work(this.tables));
    } catch (error) {
      throw failureIn(this.#directory, error);
    }
  }

  /** Flushes to the disk and closes. Rejects with StateError if the flush failed. */
  async close(): Promise<void> {
    await this.#root.close();
    try {
      await flushFile(join(this.#directory, "data.mdb"));
    } catch (cause) {
      throw stateErrorOf(cause, this.#directory);
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
