import type { RunningCalls } from "./running-calls.js";
import type { ServerLog } from "./server-log.js";
import type { ServingState } from "./serving-state.js";
import type { SessionTracker } from "./session-tracker.js";

/** Options of drainServer. */
export interface DrainOptions {
  readonly state: ServingState;
  readonly sessions: SessionTracker;
  readonly running: RunningCalls;
  /** Longest wait for running calls, in ms. */
  readonly drainMs: number;
  /** Longest wait for calls to end after they were aborted, in ms. */
  readonly abortGraceMs: number;
  /** Aborts every call that still runs. */
  readonly abortCalls: () => void;
  readonly log: ServerLog;
}

/**
 * Lets the server run out: health turns to NOT_SERVING, new calls are refused, every HTTP/2 session gets GOAWAY. Running
 * calls may end until `drainMs`; then they are aborted and get `abortGraceMs` to say how they ended.
 */
export async function drainServer(options: DrainOptions): Promise<void> {
  const { state, sessions, running, drainMs, abortGraceMs, abortCalls, log } = options;
  log.info({ running: running.count, sessions: sessions.size, drainMs }, "draining");
  state.startDraining();
  sessions.goAway();
  const idle = await running.whenIdle(drainMs);
  if (!idle) log.warn({ running: running.count }, "aborting the calls that still run");
  abortCalls();
  await running.whenIdle(abortGraceMs);
  sessions.goAway();
  await sessions.whenEmpty(abortGraceMs);
}
