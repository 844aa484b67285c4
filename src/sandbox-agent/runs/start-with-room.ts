import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../supervise/supervisor.js";
import type { ProcessListener, ProcessSpec, SupervisedRun, Supervisor } from "../supervise/supervisor.js";
import { census } from "./census.js";
import { chooseLeftCrowd, chooseVictim } from "./choose-victim.js";
import type { IsCrowded } from "../process-room.js";
import type { RunEntry, RunRegistry } from "./run-registry.js";

const retryForMs = 3000;
const pauseMs = 50;

/** What was killed to make room for a process. */
export interface Cleared {
  processes: number;
  readonly runIds: string[];
}

/** Options of startWithRoom. */
export interface StartWithRoomOptions {
  readonly supervisor: Supervisor;
  readonly registry: RunRegistry;
  readonly spec: ProcessSpec;
  readonly listener: ProcessListener;
  /** Is filled in with what was killed. */
  readonly cleared: Cleared;
  readonly isCrowded: IsCrowded;
  readonly signal: AbortSignal;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/**
 * Starts a process. If processes are nearly used up, ends first what earlier runs left in crowds, since the process would
 * get no children. If there are too many to start one, ends the run with most of them and tries again, for 3 s at most.
 * Throws StartError, or the reason of the signal.
 */
export async function startWithRoom(options: StartWithRoomOptions): Promise<SupervisedRun> {
  const { supervisor, spec, listener, isCrowded, signal, now } = options;
  const giveUpAt = now() + retryForMs;
  while (isCrowded() && now() < giveUpAt && (await endOne(options, chooseLeftCrowd)));
  for (;;) {
    signal.throwIfAborted();
    try {
      return await supervisor.start(spec, listener);
    } catch (error) {
      if (!(error instanceof StartError) || error.failure !== "resources" || now() >= giveUpAt) throw error;
      if (!(await endOne(options, chooseVictim))) await sleep(pauseMs);
    }
  }
}

/** Ends one of the other runs. False if none is to be ended. */
async function endOne(
  { registry, spec, cleared }: StartWithRoomOptions,
  choose: (runs: readonly RunEntry[], counts: ReadonlyMap<string, number>) => RunEntry | undefined,
): Promise<boolean> {
  const others = registry.living().filter(({ runId }) => runId !== spec.runId);
  const victim = choose(others, census(others));
  const run = await victim?.run;
  if (victim === undefined || run === undefined) return false;
  cleared.processes += await run.kill({ graceMs: 0 });
  if (!cleared.runIds.includes(victim.runId)) cleared.runIds.push(victim.runId);
  return true;
}
