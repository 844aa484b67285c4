import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StateError } from "../store.js";
import { codeOf, stateErrorOf } from "./failure-of.js";

const HELD = 1;
const LOCK_FD = 3;

/** A directory that is this process's alone. */
export interface DirectoryLock {
  /** Lets another process have the directory. */
  readonly release: () => void;
}

/**
 * Takes the lock of a directory without waiting. The lock belongs to the open file, which `flock` of util-linux locks and
 * this process keeps: it goes with this process, however that ends. Throws StateError: `held` names the holder.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = join(directory, "lock");
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await lockFile(fd, { path, directory });
    ftruncateSync(fd);
    writeSync(fd, `${process.pid}\n`, 0);
  } catch (cause) {
    if (fd !== undefined) closeSync(fd);
    throw stateErrorOf(cause, directory);
  }
  const held = fd;
  return { release: () => closeSync(held) };
}

async function lockFile(fd: number, { path, directory }: { path: string; directory: string }): Promise<void> {
  const child = spawn("flock", ["-n", "-x", String(LOCK_FD)], { stdio: ["ignore", "ignore", "pipe", fd] });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("latin1")));
  const [code, signal] = await ended(child);
  if (code === 0) return;
  if (code === HELD) {
    const holder = /^\d+/.exec(readFileSync(path, "latin1"))?.[0];
    const who = holder === undefined ? "another process" : `process ${holder}`;
    throw new StateError(
      "held",
      `the state in ${directory} is in use by ${who}: stop that one, or choose another directory`,
    );
  }
  const why = stderr.trim().replaceAll("\n", " ") || `it ended with ${signal ?? `code ${code ?? "none"}`}`;
  throw new StateError("unusable", `the state in ${directory} cannot be locked by flock: ${why}`);
}

async function ended(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  try {
    return (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    throw new StateError("unusable", "there is no program flock to lock the state with: install util-linux", {
      cause,
    });
  }
}
