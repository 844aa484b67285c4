import { ClockFired } from "./abort-reason.js";
import type { EffectiveLimits } from "./limits.js";
import type { Run } from "./run.js";

/** Starts the run and idle clocks of a run whose work begins. The function that is returned stops them. */
export function startClocks(run: Run, limits: Pick<EffectiveLimits, "runMs" | "idleMs">): () => void {
  const { runMs, idleMs } = limits;
  const runTimer = runMs > 0 ? setTimeout(() => run.abort(new ClockFired("run", runMs)), runMs) : undefined;
  const idleTimer =
    idleMs > 0 ? setTimeout(() => run.abort(new ClockFired("idle", idleMs)), idleMs) : undefined;
  const stopListening = run.onOutput(() => idleTimer?.refresh());
  return () => {
    clearTimeout(runTimer);
    clearTimeout(idleTimer);
    stopListening();
  };
}
