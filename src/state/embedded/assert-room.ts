import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateErrorOf } from "./failure-of.js";

const ROOM_BYTES = 64 * 1024;

/**
 * Writes a little in a directory and removes it. Throws StateError if that is not possible. To be asked before LMDB makes and
 * maps a file, as a process that writes such memory on a full disk dies, and after LMDB reported an input/output error, as
 * which it reports a disk that became full.
 */
export function assertRoom(directory: string): void {
  const path = join(directory, "room");
  try {
    writeFileSync(path, Buffer.alloc(ROOM_BYTES, 1), { mode: 0o600 });
  } catch (cause) {
    throw stateErrorOf(cause, directory);
  } finally {
    rmSync(path, { force: true });
  }
}
