import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../supervise/supervisor.js";
import type { ProcessListener, ProcessSpec, SupervisedRun, Supervisor } from "../supervise/supervisor.js";
import { census } from "./census.js";
import { chooseVictim } from "./choose-victim.js";
import type { RunRegistry } from "./run-registry.js";

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
  readonly signal: AbortSignal;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/**
 * Starts a process. If there are too many processes, ends the run with most of them and tries again, for 3 s at most.
 * Throws StartError, or the reason of the signal.
 */
export async function startWithRoom(options: StartWithRoomOptions): Promise<SupervisedRun> {
  const { supervisor, spec, listener, signal, now } = options;
  const giveUpAt = now() + retryForMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await supervisor.start(spec, listener);
    } catch (error) {
      if (!(error instanceof StartError) || error.failure !== "resources" || now() >= giveUpAt) throw error;
      await makeRoom(options);
    }
  }
}

async function makeRoom({ registry, spec, cleared }: StartWithRoomOptions): Promise<void> {
  const others = registry.living().filter(({ runId }) => runId !== spec.runId);
  const victim = chooseVictim(others, census(others));
  const run = await victim?.run;
  if (victim === undefined || run === undefined) {
    await sleep(pauseMs);
    return;
  }
  cleared.processes += await run.kill({ graceMs: 0 });
  if (!cleared.runIds.includes(victim.runId)) cleared.runIds.push(victim.runId);
}
