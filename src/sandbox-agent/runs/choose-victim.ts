import type { RunEntry } from "./run-registry.js";

const manyProcesses = 16;

/**
 * Chooses the run to end when no further process can be started: the one with most processes of those that earlier
 * calls left, if it has many; else of all, if it has many; else of those left, however few. A call that runs with few
 * processes is never chosen.
 */
export function chooseVictim(
  runs: readonly RunEntry[],
  counts: ReadonlyMap<string, number>,
): RunEntry | undefined {
  const count = ({ runId }: RunEntry): number => counts.get(runId) ?? 0;
  const bySize = [...runs].sort((a, b) => count(b) - count(a));
  const many = bySize.filter((run) => count(run) >= manyProcesses);
  return many.find(({ exited }) => exited) ?? many[0] ?? bySize.find((run) => run.exited && count(run) > 0);
}
