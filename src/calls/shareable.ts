import type { SharedCall } from "./turn-windows.js";

/**
 * True if a twin may have the run or the result of an earlier equal call: nothing else has changed the project since that
 * run began; of a finished one, that nothing is changing it now either.
 */
export function isShareable({ run, mark, isInflightOnly }: SharedCall, now: { leftLive: boolean }): boolean {
  if (!mark.isUntouched()) return false;
  if (run.result === undefined) return run.ending?.by !== "abort";
  return !isInflightOnly && !now.leftLive && !mark.isDisturbed();
}
