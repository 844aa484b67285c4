import { create } from "@bufbuild/protobuf";
import type { StreamRequest, StreamResponse } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { ExecuteToolRequestSchema, OnDisconnect } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { ClockFired } from "../calls/abort-reason.js";
import type { Call } from "../calls/call.js";
import { projectKeyText } from "../calls/call.js";
import { kAdmitted, kCall, kIdentity } from "../calls/call-context.js";
import type { Admitted } from "../calls/call-context.js";
import { faultResult } from "../calls/call-fault.js";
import type { CallRegistry } from "../calls/call-registry.js";
import type { CallPolicy } from "../calls/limits.js";
import { notReached } from "../calls/perform.js";
import { resultMessage } from "../calls/result-message.js";
import { Run } from "../calls/run.js";
import type { Slots } from "../calls/slots.js";
import { statusError } from "../rpc/status.js";
import { attachReader } from "./attach-reader.js";
import { requireSame } from "./call-id.js";
import { onExecuteTool } from "./execute-tool.js";
import { OneMessage } from "./input.js";

/** What the seam needs. */
export interface RunCallOptions {
  readonly registry: CallRegistry;
  readonly slots: Slots;
  readonly policy: CallPolicy;
  /** Hears of errors that are bugs of the service. */
  readonly onBug: (error: unknown, call: Call) => void;
  /** Hears of each run when its result stands. */
  readonly onSettled: (call: Call) => void;
}

/**
 * The seam between the two halves of the chain. Outside is one reader; inside is one run, which is started here, once,
 * with a signal of its own, and pumped into its journal whether or not anyone reads.
 */
export function runCall(options: RunCallOptions): Interceptor {
  const { registry, policy } = options;
  return onExecuteTool(({ input, request }, next) => {
    const identity = request.contextValues.get(kIdentity);
    const admitted = request.contextValues.get(kAdmitted);
    if (identity === undefined || admitted === undefined) throw new Error("the seam came before admission");
    const found = registry.find(identity.key, identity.callId);
    if (found.kind === "tombstone") {
      throw statusError("CALL_CANCELED", `call ${identity.callId} was canceled before it arrived`);
    }
    if (found.kind === "call") {
      requireSame(found.call.fingerprint, identity.fingerprint, identity.callId);
      return Promise.resolve(attachReader(request, found.call, policy));
    }
    const call = newCall(input, admitted, { identity, policy });
    registry.add(call);
    const response = attachReader(request, call, {
      heartbeatMs: policy.heartbeatMs,
      admission: Admission.NEW,
    });
    request.contextValues.set(kCall, call);
    const inner: StreamRequest = {
      ...request,
      signal: call.run.signal,
      message: new OneMessage(create(ExecuteToolRequestSchema, input)),
    };
    void pump(call, () => next(inner), options);
    return Promise.resolve(response);
  });
}

function newCall(
  input: ExecuteToolRequest,
  admitted: Admitted,
  options: {
    identity: Pick<Call, "key" | "fingerprint" | "userId"> & { callId: string };
    policy: CallPolicy;
  },
): Call {
  const { identity, policy } = options;
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
    run: new Run({
      onDisconnect: input.onDisconnect === OnDisconnect.DETACH ? "detach" : "cancel",
      detachedMs: input.ttlMs > 0 ? input.ttlMs : policy.detachedMs,
    }),
  };
}

async function pump(
  call: Call,
  start: () => Promise<StreamResponse>,
  options: RunCallOptions,
): Promise<void> {
  const { run } = call;
  const onBug = (error: unknown) => options.onBug(error, call);
  const settle = (result: Parameters<typeof resultMessage>[1]) => {
    run.conclude();
    void run.record({ case: "result", value: resultMessage(run, result, { now: Date.now() }) });
  };
  try {
    const queuedAt = performance.now();
    const release = await options.slots
      .take(projectKeyText(call.key), { queueMs: call.limits.queueMs, signal: run.signal })
      .finally(() => {
        run.timings.queueMs = performance.now() - queuedAt;
      });
    try {
      run.markRunning();
      await drain(call, await start());
    } finally {
      release();
    }
    if (run.result === undefined) settle(notReached());
  } catch (error) {
    if (run.result === undefined) settle(settleFault(call, error, onBug));
    else onBug(error);
  } finally {
    run.markOver();
    options.onSettled(call);
  }
}

function settleFault(call: Call, error: unknown, onBug: (error: unknown) => void) {
  if (error instanceof ClockFired) call.run.abort(error);
  return faultResult(error, { onBug });
}

async function drain(call: Call, response: StreamResponse): Promise<void> {
  for await (const message of response.message) {
    const { event } = message as { event?: { event: Parameters<Run["record"]>[0] } };
    if (event === undefined) continue;
    const wait = call.run.record(event.event);
    if (wait !== undefined) await wait;
  }
}
