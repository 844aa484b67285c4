import { Mode as ModeMessage } from "../../gen/handrail/v1/context_pb.js";
import type { Interceptor } from "@connectrpc/connect";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { Keep as KeepMessage, OnDisconnect } from "../../gen/handrail/v1/tool_service_pb.js";
import type { Keep } from "../calls/call.js";
import { kAdmitted, kIdentity, kReader } from "../calls/call-context.js";

import { effectiveMode } from "../calls/effective-mode.js";
import { effectiveLimits } from "../calls/limits.js";
import type { CallPolicy, LimitWishes } from "../calls/limits.js";
import type { Slots } from "../calls/slots.js";
import { projectKeyText } from "../calls/call.js";
import { conditionsOf } from "../calls/conditions-of.js";
import type { ServiceConditions } from "../calls/conditions-of.js";
import { prepareCall, turnAborted } from "../calls/prepare-call.js";
import { turnOf } from "../calls/turn-of.js";
import type { TurnWindows } from "../calls/turn-windows.js";
import type { WorkspaceReadiness } from "../calls/workspace-readiness.js";
import type { ToolRegistry } from "../tools/registry.js";
import { statusError } from "../rpc/status.js";
import { onExecuteTool } from "./execute-tool.js";

/** What admission decides by. */
export interface AdmitOptions {
  readonly tools: ToolRegistry;
  readonly policy: CallPolicy;
  readonly slots: Slots;
  readonly conditions: ServiceConditions;
  readonly readiness: WorkspaceReadiness;
  readonly windows: TurnWindows;
}

/**
 * Decides whether a call may run, before anything is started: room in the queue, tool, condition, mode, arguments,
 * and a sandbox that can be had. What the model can mend becomes a result; the rest an RPC status.
 */
export function admit(options: AdmitOptions): Interceptor {
  const { tools, policy, slots } = options;
  return onExecuteTool(async ({ input, request }, next) => {
    const identity = request.contextValues.get(kIdentity);
    if (identity === undefined) throw new Error("admission came before the call had an id");
    if (slots.isFull(projectKeyText(identity.key))) {
      throw statusError("QUEUE_FULL", "too many calls wait for this project; try again in a second", {
        retryAfterMs: 1000,
      });
    }
    const mode = effectiveMode(input.context?.mode ?? ModeMessage.UNSPECIFIED, undefined);
    const conditions = conditionsOf(options.conditions, input.context, identity.userId);
    const turn = turnOf(input, identity);
    const isTurnOpen = turn === undefined || options.windows.see(turn);
    const decision = isTurnOpen
      ? prepareCall({ tools, mode, conditions, name: input.tool, identity })
      : { refusal: turnAborted() };
    if ("prepared" in decision && decision.tool.needs.has("workspace")) {
      await options.readiness.require(identity.key);
    }
    const limits = effectiveLimits({
      policy,
      tool: "tool" in decision ? decision.tool.limits : undefined,
      argumentMs: "prepared" in decision ? decision.prepared.requestedMs : undefined,
      wishes: wishesOf(input),
      deadlineLeftMs: deadlineLeft(input, request.contextValues.get(kReader)?.deadlineAtMs),
    });
    request.contextValues.set(kAdmitted, { mode, limits, ...decision });
    return next(request);
  });
}

function deadlineLeft(input: ExecuteToolRequest, deadlineAtMs: number | undefined): number | undefined {
  if (input.onDisconnect === OnDisconnect.DETACH || deadlineAtMs === undefined) return undefined;
  return Math.max(1, deadlineAtMs - Date.now());
}

const KEEPS: Readonly<Record<KeepMessage, Keep | undefined>> = {
  [KeepMessage.UNSPECIFIED]: undefined,
  [KeepMessage.HEAD]: "head",
  [KeepMessage.TAIL]: "tail",
  [KeepMessage.BOTH]: "both",
};

function wishesOf(input: ExecuteToolRequest): LimitWishes {
  const wishes = input.limits;
  const violations = Object.entries({
    "limits.queue_ms": wishes?.queueMs ?? 0,
    "limits.run_ms": wishes?.runMs ?? 0,
    "limits.idle_ms": wishes?.idleMs ?? 0,
    "limits.max_text_bytes": Number(wishes?.maxTextBytes ?? 0n),
    ttl_ms: input.ttlMs,
  })
    .filter(([, value]) => value < 0)
    .map(([field, value]) => ({ field, description: `is ${value}; it must be 0 (no wish) or more` }));
  const first = violations[0];
  if (first !== undefined) {
    throw statusError("INVALID_REQUEST", `${first.field} ${first.description}`, { violations });
  }
  return {
    queueMs: wishes?.queueMs ?? 0,
    runMs: wishes?.runMs ?? 0,
    idleMs: wishes?.idleMs ?? 0,
    maxTextBytes: Number(wishes?.maxTextBytes ?? 0n),
    keep: KEEPS[wishes?.keep ?? KeepMessage.UNSPECIFIED],
  };
}
