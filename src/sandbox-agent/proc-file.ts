import { readFileSync, statSync } from "node:fs";

/** A file of /proc/PID. Empty if the process has ended or may not be looked into. */
export function readProcFile(pid: number, file: "status" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** The effective user of a process; nothing if the process has ended. */
export function uidOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}
