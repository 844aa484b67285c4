import { readProcFile } from "../proc-file.js";
import { listProcesses } from "../supervise/process-table.js";
import type { RunEntry } from "./run-registry.js";

const marker = /(?:^|\0)HANDRAIL_RUN=([^\0]*)/;

/**
 * Counts the living processes of each run: by the marker in the environment, or else by descent. Descendants of the
 * agent that cannot be told so are counted for each run that ended before its place in the tree was seen.
 */
export function census(runs: readonly RunEntry[]): ReadonlyMap<string, number> {
  const rows = listProcesses();
  const parents = new Map(rows.map(({ pid, parentPid }) => [pid, parentPid]));
  const runOf = new Map<number, string | undefined>([[process.pid, undefined]]);
  for (const { runId, rootPids } of runs) for (const pid of rootPids) runOf.set(pid, runId);

  const find = (pid: number): string | undefined => {
    const path: number[] = [];
    let at: number | undefined = pid;
    let runId: string | undefined;
    for (; at !== undefined && at !== 0; at = parents.get(at)) {
      if (runOf.has(at)) {
        runId = runOf.get(at);
        break;
      }
      path.push(at);
      runId = marker.exec(readProcFile(at, "environ"))?.[1];
      if (runId !== undefined) break;
    }
    for (const member of path) runOf.set(member, runId);
    return runId;
  };

  const counts = new Map<string, number>();
  const add = (runId: string, count: number): void =>
    void counts.set(runId, (counts.get(runId) ?? 0) + count);
  let untold = 0;
  for (const { pid } of rows) {
    const runId = find(pid);
    if (runId !== undefined) add(runId, 1);
    else if (descendsFromAgent(pid, parents)) untold += 1;
  }
  for (const { runId, rootPids, exited } of runs) if (exited && rootPids.length < 2) add(runId, untold);
  return counts;
}

function descendsFromAgent(pid: number, parents: ReadonlyMap<number, number>): boolean {
  let at = parents.get(pid);
  while (at !== undefined && at !== process.pid) at = parents.get(at);
  return at === process.pid;
}
