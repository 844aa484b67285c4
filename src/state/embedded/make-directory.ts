import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StateError } from "../store.js";
import { codeOf, stateErrorOf } from "./failure-of.js";

/** Others may pass through the directories above the one that is made, which is for this user alone. */
const PARENT_MODE = 0o711;

/** Makes a directory for this user alone, and those above it, unless it is there. Throws StateError. */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await makeAll(directory, 0o700);
    if ((await stat(directory)).isDirectory()) return;
  } catch (cause) {
    throw stateErrorOf(cause, directory);
  }
  throw new StateError("unusable", `${directory} is not a directory: choose another place for the state`);
}

/** As mkdir with `recursive`, which names a read-only file system only by ENOENT. */
async function makeAll(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(directory) === directory) throw error;
    await makeAll(dirname(directory), PARENT_MODE);
    await mkdir(directory, { mode });
  }
}
