import { createHash } from "node:crypto";
import type { Interceptor, StreamResponse } from "@connectrpc/connect";
import { Dedup } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { kAdmitted, kIdentity, kTurnPlace } from "../calls/call-context.js";
import type { Admitted, CallIdentity } from "../calls/call-context.js";
import type { CallOptions } from "../calls/call.js";
import { Claims } from "../calls/claims.js";
import { changesSomething } from "../calls/epochs.js";
import type { Leftovers } from "../calls/leftovers.js";
import type { CallPolicy } from "../calls/limits.js";
import { joinTwin } from "../calls/join-twin.js";
import { isShareable } from "../calls/shareable.js";
import { callFacts } from "../calls/start-call.js";
import type { StartCallOptions } from "../calls/start-call.js";
import { turnOf } from "../calls/turn-of.js";
import type { TurnWindows } from "../calls/turn-windows.js";
import { attachReader } from "./attach-reader.js";
import { onExecuteTool } from "./execute-tool.js";
import { asStartStatus } from "./start-status.js";

/** What turn dedup needs. */
export interface DedupOptions extends StartCallOptions {
  readonly windows: TurnWindows;
  readonly leftovers: Leftovers;
  readonly policy: CallPolicy;
  readonly callOptions: Omit<CallOptions, "run">;
}

/**
 * Equal calls of one turn share a run where nothing has changed between them: a twin gets the result of the first call
 * without running. What is equal and what may have changed is said where the key is made and where it is judged.
 */
export function dedup(options: DedupOptions): Interceptor {
  const { windows, leftovers, policy } = options;
  const claims = new Claims();
  return onExecuteTool(async ({ input, request }, next) => {
    const identity = request.contextValues.get(kIdentity);
    const admitted = request.contextValues.get(kAdmitted);
    if (identity === undefined || admitted === undefined) throw new Error("dedup came before admission");
    const turn = turnOf(input, identity);
    const isAlone = turn === undefined || turn.sessionId === "" || input.dedup === Dedup.OFF;
    if (isAlone || "refusal" in admitted) return next(request);
    const callKey = keyOf(input, { identity, admitted });
    const claim = JSON.stringify([turn, callKey]);
    for (;;) {
      const leftLive = await leftovers.live(identity.key);
      const holder = claims.holder(claim);
      if (holder !== undefined) {
        await holder;
        continue;
      }
      const shared = windows.find(turn, callKey);
      if (shared === undefined || !isShareable(shared, { leftLive })) {
        const isInflightOnly = leftLive || admitted.tool.dedup === "inflight";
        request.contextValues.set(kTurnPlace, { turn, callKey, isInflightOnly });
        return claims.hold(claim, () => next(request));
      }
      const hasEffect = changesSomething(admitted.prepared.effect);
      const facts = callFacts(input, {
        ...{ identity, admitted, detachedMs: policy.detachedMs },
        sourceId: shared.sourceId,
      });
      return claims.hold(claim, async (): Promise<StreamResponse> => {
        try {
          const twin = await joinTwin(facts, { ...options, shared, hasEffect });
          const { heartbeatMs } = policy;
          return attachReader(request, twin, { heartbeatMs, admission: Admission.DEDUPLICATED });
        } catch (error) {
          throw asStartStatus(error);
        }
      });
    }
  });
}

/** Names the calls that are equal: tool, arguments, mode, what narrows the context, and the limits that shape the result. */
function keyOf(
  input: ExecuteToolRequest,
  { identity, admitted }: { identity: CallIdentity; admitted: Admitted },
): string {
  const { context, limits } = input;
  const parts = [
    input.tool,
    identity.arguments.hash,
    admitted.mode,
    context?.mcpEnabled ?? null,
    context?.connectorsAllowed ?? null,
    limits?.runMs ?? 0,
    limits?.idleMs ?? 0,
    admitted.limits.maxTextBytes,
    admitted.limits.keep ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
