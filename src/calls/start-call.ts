import { OnDisconnect } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { failed } from "../domain/tool-result.js";
import type { Call, CallFacts } from "./call.js";
import type { CallArchive } from "./call-archive.js";
import type { Admitted, CallIdentity } from "./call-context.js";
import type { CallRegistry } from "./call-registry.js";
import { startDeadline } from "./clocks.js";
import { resultMessage } from "./result-message.js";

/** What starting a call needs. */
export interface StartCallOptions {
  readonly registry: CallRegistry;
  /** Where calls outlive the process. Default: nowhere. */
  readonly archive?: CallArchive;
  /** Hears of each call when its result stands and nothing works for it any more. */
  readonly onSettled: (call: Call) => void;
}

/** A call could not be written down ahead of its start, so it was not started. */
export class CallNotKept extends Error {
  override readonly name = "CallNotKept";
}

/** What is known of a call that is admitted. */
export function callFacts(
  input: ExecuteToolRequest,
  options: { identity: CallIdentity; admitted: Admitted; detachedMs: number; sourceId?: string },
): CallFacts {
  const { identity, admitted, detachedMs, sourceId = "" } = options;
  return {
    key: identity.key,
    id: identity.callId,
    fingerprint: identity.fingerprint,
    tool: input.tool,
    toolCallId: input.toolCallId,
    sessionId: input.context?.sessionId ?? "",
    userId: identity.userId,
    turnId: input.context?.turnId ?? "",
    mode: admitted.mode,
    limits: admitted.limits,
    createdAtMs: Date.now(),
    sourceId,
    onDisconnect: input.onDisconnect === OnDisconnect.DETACH ? "detach" : "cancel",
    detachedMs: input.ttlMs > 0 ? input.ttlMs : detachedMs,
  };
}

/** Makes a call known and writes it down, so that its id is never started again. Throws CallNotKept. */
export async function startCall(call: Call, options: StartCallOptions): Promise<void> {
  const { registry, archive, onSettled } = options;
  registry.add(call);
  try {
    if ((await archive?.open(call)) === false) throw new CallNotKept(`call id ${call.id} is taken`);
  } catch (cause) {
    registry.remove(call);
    call.abandon(notStarted(call));
    throw cause instanceof CallNotKept
      ? cause
      : new CallNotKept("the call could not be written down", { cause });
  }
  startDeadline(call);
  void call.over.then(() => onSettled(call));
}

function notStarted(call: Call): Result {
  const returned = failed("failed", {
    code: "service.state",
    fixBy: "operator",
    retryable: true,
    message: "The service could not write down the call, so it did not start it.",
  });
  return resultMessage(call.run, returned, { cameAtMs: call.facts.createdAtMs, now: Date.now() });
}
