import { create } from "@bufbuild/protobuf";
import { AcceptedSchema, Admission } from "../../gen/handrail/v1/events_pb.js";
import type { Accepted } from "../../gen/handrail/v1/events_pb.js";
import type { Call } from "./call.js";
import { modeMessage } from "./effective-mode.js";

/** The first event of a stream of a call. */
export function acceptedEvent(call: Call, admission: Admission): Accepted {
  const { queueMs, runMs, idleMs, maxTextBytes } = call.limits;
  return create(AcceptedSchema, {
    callId: call.id,
    toolCallId: call.toolCallId,
    admission,
    mode: modeMessage(call.mode),
    limits: { queueMs, runMs, idleMs, maxTextBytes: BigInt(maxTextBytes) },
  });
}

/** How a stream that finds the call finds it. */
export function foundAdmission(call: Call): Admission {
  return call.run.result === undefined ? Admission.JOINED : Admission.REPLAYED;
}
