import { create } from "@bufbuild/protobuf";
import { AcceptedSchema, Admission } from "../../gen/handrail/v1/events_pb.js";
import type { Accepted } from "../../gen/handrail/v1/events_pb.js";
import type { Call } from "./call.js";
import { modeMessage } from "./effective-mode.js";

/** The first event of a stream of a call. */
export function acceptedEvent(call: Call, admission: Admission): Accepted {
  const { toolCallId, mode, limits, sourceId } = call.facts;
  const { queueMs, runMs, idleMs, maxTextBytes } = limits;
  return create(AcceptedSchema, {
    callId: call.id,
    toolCallId,
    admission,
    mode: modeMessage(mode),
    limits: { queueMs, runMs, idleMs, maxTextBytes: BigInt(maxTextBytes) },
    sourceCallId: sourceId,
  });
}

/** How a stream that finds the call finds it. */
export function foundAdmission(call: Call): Admission {
  return call.result === undefined ? Admission.JOINED : Admission.REPLAYED;
}
