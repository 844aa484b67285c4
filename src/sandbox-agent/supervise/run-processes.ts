import { hasVariable, listProcesses } from "./process-table.js";
import { RUN_MARKER } from "./run-environment.js";

/** What the processes of a run have in common. */
export interface RunTrace {
  readonly runId: string;
  /** Process group that the run was started in. Default: only the marker counts. */
  readonly groupId?: number;
}

/** Process ids of a run: those with its marker or in its group, and all their descendants. Never this process. */
export function findRunProcesses({ runId, groupId }: RunTrace): number[] {
  const entries = listProcesses().filter((entry) => entry.pid !== process.pid);
  const found = new Set<number>();
  for (const { pid, groupId: group } of entries)
    if (group === groupId || hasVariable(pid, { name: RUN_MARKER, value: runId })) found.add(pid);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const entry of entries) if (found.has(entry.parentPid)) found.add(entry.pid);
  }
  return [...found];
}
