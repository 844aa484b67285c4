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
  const bySize = sortBySize(runs, counts);
  const [largest] = bySize.filter(({ runId }) => (counts.get(runId) ?? 0) >= manyProcesses);
  return (
    chooseLeftCrowd(runs, counts) ??
    largest ??
    bySize.find(({ exited, runId }) => exited && (counts.get(runId) ?? 0) > 0)
  );
}

/** Chooses, of the runs that earlier calls left, the one with most processes, if it has many. */
export function chooseLeftCrowd(
  runs: readonly RunEntry[],
  counts: ReadonlyMap<string, number>,
): RunEntry | undefined {
  const [largest] = sortBySize(runs, counts).filter(({ exited }) => exited);
  return largest !== undefined && (counts.get(largest.runId) ?? 0) >= manyProcesses ? largest : undefined;
}

function sortBySize(runs: readonly RunEntry[], counts: ReadonlyMap<string, number>): RunEntry[] {
  const count = ({ runId }: RunEntry): number => counts.get(runId) ?? 0;
  return [...runs].sort((a, b) => count(b) - count(a));
}
