import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses, type RunTrace } from "./run-processes.js";

const ROUND_MS = 5;
const GIVE_UP_MS = 5_000;

/**
 * Sends a signal to one process; one that has gone or may not be signalled is passed over. True if it was sent. Numbers
 * that stand for groups, for all processes or for the first process are refused.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  if (pid < 2) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Options of killRunProcesses. */
export interface KillOptions {
  /** When SIGKILL follows SIGTERM, in ms of performance.now(); asked again at each round. Default: at once. */
  readonly killAtMs?: () => number;
}

/**
 * Ends the processes of a run and resolves with how many were signalled when none is found any more, or 5 s after the
 * first SIGKILL.
 */
export async function killRunProcesses(
  trace: RunTrace,
  { killAtMs = () => 0 }: KillOptions = {},
): Promise<number> {
  const signalled = new Set<number>();
  const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
    for (const pid of pids) if (sendSignal(pid, signal)) signalled.add(pid);
  };
  let living = findRunProcesses(trace);
  if (killAtMs() > performance.now()) signalAll(living, "SIGTERM");
  while (living.length > 0 && killAtMs() > performance.now()) {
    await sleep(ROUND_MS);
    living = findRunProcesses(trace);
  }
  for (const end = performance.now() + GIVE_UP_MS; living.length > 0 && performance.now() < end;) {
    signalAll(living, "SIGKILL");
    await sleep(ROUND_MS);
    living = findRunProcesses(trace);
  }
  return signalled.size;
}
