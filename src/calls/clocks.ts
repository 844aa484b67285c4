import { ClockFired } from "./abort-reason.js";
import type { EffectiveLimits } from "./limits.js";
import type { Call } from "./call.js";
import type { Run } from "./run.js";

/** Starts the run and idle clocks of a run whose work begins. The function that is returned stops them. */
export function startClocks(run: Run, limits: Pick<EffectiveLimits, "workMs" | "idleMs">): () => void {
  const { workMs, idleMs } = limits;
  const runTimer = workMs > 0 ? setTimeout(() => run.stop(new ClockFired("run", workMs)), workMs) : undefined;
  const idleTimer =
    idleMs > 0 ? setTimeout(() => run.stop(new ClockFired("idle", idleMs)), idleMs) : undefined;
  const stopListening = run.onOutput(() => idleTimer?.refresh());
  return () => {
    clearTimeout(runTimer);
    clearTimeout(idleTimer);
    stopListening();
  };
}

/** Ends a call in time for its result to reach a caller with a deadline, wherever the call then is. */
export function startDeadline(call: Call): void {
  const { deadlineMs } = call.facts.limits;
  if (deadlineMs === 0) return;
  const timer = setTimeout(() => call.abort(new ClockFired("run", deadlineMs)), deadlineMs);
  void call.finished.then(() => clearTimeout(timer));
}
