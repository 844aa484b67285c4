import { create } from "@bufbuild/protobuf";
import type { Interceptor, StreamRequest } from "@connectrpc/connect";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { ExecuteToolRequestSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { Call } from "../calls/call.js";
import type { CallOptions } from "../calls/call.js";
import { kAdmitted, kCall, kIdentity, kTurnPlace } from "../calls/call-context.js";
import { changesSomething } from "../calls/epochs.js";
import { pumpRun } from "../calls/pump-run.js";
import type { PumpOptions } from "../calls/pump-run.js";
import { Run } from "../calls/run.js";
import { callFacts, startCall } from "../calls/start-call.js";
import type { StartCallOptions } from "../calls/start-call.js";
import type { CallPolicy } from "../calls/limits.js";
import type { TurnWindows } from "../calls/turn-windows.js";
import { statusError } from "../rpc/status.js";
import { attachReader } from "./attach-reader.js";
import { onExecuteTool } from "./execute-tool.js";
import { OneMessage } from "./input.js";
import { asStartStatus } from "./start-status.js";

/** What the seam needs. */
export interface RunCallOptions extends StartCallOptions, PumpOptions {
  readonly policy: CallPolicy;
  readonly windows: TurnWindows;
  /** What each call is made with. */
  readonly callOptions: Omit<CallOptions, "run">;
}

/**
 * The seam between the two halves of the chain. Outside is one reader; inside is one run, which is started here, once,
 * with a signal of its own, and pumped into its journal whether or not anyone reads.
 */
export function runCall(options: RunCallOptions): Interceptor {
  const { policy, registry, epochs, windows, callOptions } = options;
  return onExecuteTool(async ({ input, request }, next) => {
    const identity = request.contextValues.get(kIdentity);
    const admitted = request.contextValues.get(kAdmitted);
    if (identity === undefined || admitted === undefined) throw new Error("the seam came before admission");
    if (registry.peek(identity.key, identity.callId).kind === "tombstone") {
      throw statusError("CALL_CANCELED", `call ${identity.callId} was canceled before it arrived`);
    }
    const run = new Run();
    const { detachedMs, heartbeatMs } = policy;
    const call = new Call(callFacts(input, { identity, admitted, detachedMs }), { ...callOptions, run });
    const effect = "prepared" in admitted ? admitted.prepared.effect : "none";
    const mark = epochs.begin(call.key, effect);
    try {
      await startCall(call, options);
    } catch (error) {
      mark.end();
      throw asStartStatus(error);
    }
    const place = request.contextValues.get(kTurnPlace);
    if (place !== undefined)
      windows.put(place.turn, place.callKey, {
        ...{ sourceId: call.id, run, mark },
        isInflightOnly: place.isInflightOnly,
      });
    const response = attachReader(request, call, { heartbeatMs, admission: Admission.NEW });
    request.contextValues.set(kCall, call);
    const inner: StreamRequest = {
      ...request,
      signal: run.signal,
      message: new OneMessage(create(ExecuteToolRequestSchema, input)),
    };
    const start = async () => (await next(inner)).message as AsyncIterable<ExecuteToolResponse>;
    void pumpRun(call, { ...options, mark, hasEffect: changesSomething(effect), start });
    return response;
  });
}
