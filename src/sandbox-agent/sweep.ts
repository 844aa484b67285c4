import { setTimeout as sleep } from "node:timers/promises";
import { uidOf } from "./proc-file.js";
import { listProcesses } from "./supervise/process-table.js";

const rounds = 50;
const roundMs = 10;

/**
 * Kills every process of a user but this one and its ancestors, and waits until they are dead, 0.5 s at most. Resolves
 * with the number of processes found. Does nothing for root, or if this process is of another user.
 */
export async function sweep(uid: number): Promise<number> {
  if (uid === 0 || process.getuid?.() !== uid) return 0;
  const killed = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const others = othersOf(uid);
    if (others.pids.length === 0) break;
    for (const pid of others.pids) killed.add(pid);
    if (others.hasAncestor) others.pids.forEach((pid) => kill(pid));
    else kill(-1);
    await sleep(roundMs);
  }
  return killed.size;
}

function othersOf(uid: number): { pids: number[]; hasAncestor: boolean } {
  const rows = listProcesses();
  const parents = new Map(rows.map(({ pid, parentPid }) => [pid, parentPid]));
  const ancestors = new Set<number>();
  for (let pid = parents.get(process.pid); pid !== undefined && pid !== 0; pid = parents.get(pid))
    ancestors.add(pid);
  const own = rows.filter(({ pid }) => pid !== process.pid && uidOf(pid) === uid);
  return {
    pids: own.filter(({ pid }) => !ancestors.has(pid)).map(({ pid }) => pid),
    hasAncestor: own.some(({ pid }) => ancestors.has(pid)),
  };
}

/** `-1` is every process that this one may signal, at one instant: a fork bomb cannot outrun it. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
