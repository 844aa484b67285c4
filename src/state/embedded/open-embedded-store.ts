import { resolve } from "node:path";
import type { StateStore } from "../store.js";
import { assertRoom } from "./assert-room.js";
import { checkDatabase } from "./check-database.js";
import { StateDatabase } from "./database.js";
import { lockDirectory } from "./directory-lock.js";
import { EmbeddedStore } from "./embedded-store.js";
import { makeDirectory } from "./make-directory.js";

/** Options of openEmbeddedStore. */
export interface OpenEmbeddedStoreOptions {
  /** Where the state is; made for this user alone if it is not there. On a local disk. */
  readonly directory: string;
  /** Path of the program that check-main.ts was built to. */
  readonly checkScript: string;
  /** In ms since 1970. Default: the clock of the system. */
  readonly now?: () => number;
  /** Told of a removal of expired records that failed; it is tried again. Default: nobody is told. */
  readonly report?: (error: unknown) => void;
}

/**
 * Opens the state in a directory, for one process at a time, once a process of its own has read it wholly. Commits survive
 * the death of the process; see StateDatabase for a loss of power. Rejects with StateError.
 */
export async function openEmbeddedStore(options: OpenEmbeddedStoreOptions): Promise<StateStore> {
  const { checkScript, now = Date.now, report = () => undefined } = options;
  const directory = resolve(options.directory);
  await makeDirectory(directory);
  const { release } = await lockDirectory(directory);
  try {
    assertRoom(directory);
    await checkDatabase({ directory, checkScript });
    return new EmbeddedStore({ database: new StateDatabase(directory), now, report, release });
  } catch (error) {
    release();
    throw error;
  }
}
