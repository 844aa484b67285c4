import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { AbortReason, ClockFired } from "./abort-reason.js";
import type { Call } from "./call.js";
import { resultMessage } from "./result-message.js";

/** The result of a call that was stopped while its run goes on for equal calls of its turn. */
export function resultOfLeaving(call: Call, stopped: AbortReason | ClockFired): Result {
  const others = [...call.run.members].length;
  const notice =
    others === 1 ? "the run goes on for an equal call" : `the run goes on for ${others} equal calls`;
  return resultMessage(
    call.run,
    { outcome: "canceled", content: [], notices: [notice], changesKnown: false },
    { cameAtMs: call.facts.createdAtMs, now: Date.now(), stopped },
  );
}
