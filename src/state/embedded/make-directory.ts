import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StateError } from "../store.js";
import { codeOf, stateErrorOf } from "./failure-of.js";

/** Makes a directory, and those above it, for this user alone, unless it is there. Throws StateError. */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await makeAll(directory);
    if ((await stat(directory)).isDirectory()) return;
  } catch (cause) {
    throw stateErrorOf(cause, directory);
  }
  throw new StateError("unusable", `${directory} is not a directory: choose another place for the state`);
}

/** As mkdir with `recursive`, which names a read-only file system only by ENOENT. */
async function makeAll(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(directory) === directory) throw error;
    await makeAll(dirname(directory));
    await mkdir(directory, { mode: 0o700 });
  }
}
