import { CallNotKept } from "../calls/start-call.js";
import { statusError } from "../rpc/status.js";

/** What the caller is told of a call that could not be started. */
export function asStartStatus(error: unknown): unknown {
  if (!(error instanceof CallNotKept)) return error;
  return statusError("STATE_UNAVAILABLE", `${error.message}: nothing was started; try again`, {
    retryAfterMs: 1000,
    cause: error.cause,
  });
}
