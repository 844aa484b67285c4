import { rmSync, writeFileSync } from "node:fs";

/** A private file with the script of a run. */
export interface ScriptFile {
  readonly path: string;
  /** Removes the file. */
  remove(): void;
}

/** Writes a script to a new file that only this user may read. Throws the error of the file system. */
export function writeScriptFile(path: string, script: Uint8Array): ScriptFile {
  rmSync(path, { force: true });
  writeFileSync(path, script, { mode: 0o600, flag: "wx" });
  return { path, remove: () => rmSync(path, { force: true }) };
}
