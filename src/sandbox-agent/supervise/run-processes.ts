import { hasVariable, listProcesses } from "./process-table.js";
import { RUN_MARKER } from "./run-environment.js";

/** What the processes of a run have in common. */
export interface RunTrace {
  readonly runId: string;
  /** Process group that the run was started in. Default: only the marker counts. */
  readonly groupId?: number;
  /** No process of the run was started earlier, in clock ticks since the machine was. Default 0. */
  readonly sinceTicks?: number;
}

/** Process ids of a run: those with its marker or in its group, and all their descendants. Never this process. */
export function findRunProcesses({ runId, groupId, sinceTicks = 0 }: RunTrace): number[] {
  const entries = listProcesses().filter(
    ({ pid, startTicks }) => pid !== process.pid && startTicks >= sinceTicks,
  );
  const found = new Set<number>();
  for (const { pid, groupId: group } of entries)
    if (group === groupId || hasVariable(pid, { name: RUN_MARKER, value: runId })) found.add(pid);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const entry of entries) if (found.has(entry.parentPid)) found.add(entry.pid);
  }
  return [...found];
}
