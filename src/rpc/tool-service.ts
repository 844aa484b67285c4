import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import type { Accepted } from "../../gen/handrail/v1/events_pb.js";
import {
  CallState,
  CancelCallResponseSchema,
  CancelOutcome,
  GetCallResponseSchema,
} from "../../gen/handrail/v1/tool_service_pb.js";
import type {
  ExecuteToolRequest,
  ToolService,
  RunToolResponseSchema,
} from "../../gen/handrail/v1/tool_service_pb.js";
import type { CallRegistry } from "../calls/call-registry.js";
import { cancelCall } from "../calls/cancel-call.js";
import type { Cancellation } from "../calls/cancel-call.js";
import type { ServiceConditions } from "../calls/conditions-of.js";
import { modeMessage } from "../calls/effective-mode.js";
import type { ExecuteToolHandler, LocalClient } from "../calls/local-client.js";
import type { RunState } from "../calls/run.js";
import type { ToolRegistry } from "../tools/registry.js";
import { kTransport } from "./context-keys.js";
import { listTools } from "./list-tools.js";
import { notFound, principalOf, requireCall, requireFields } from "./preconditions.js";
import { kPrincipal } from "./context-keys.js";
import { statusError } from "./status.js";
import { notImplemented } from "./not-implemented.js";

/** What ToolService needs. */
export interface ToolServiceOptions {
  readonly registry: CallRegistry;
  readonly tools: ToolRegistry;
  readonly conditions: ServiceConditions;
  readonly execute: ExecuteToolHandler;
  readonly local: LocalClient;
}

const STATES: Readonly<Record<RunState, CallState>> = {
  queued: CallState.QUEUED,
  running: CallState.RUNNING,
  ended: CallState.ENDED,
};

const CANCEL_OUTCOMES: Readonly<Record<Cancellation["did"], CancelOutcome>> = {
  canceled: CancelOutcome.CANCELED,
  "already-settled": CancelOutcome.ALREADY_SETTLED,
  buried: CancelOutcome.TOMBSTONE,
};

/** ToolService as messages over calls and tools. */
export function toolService(options: ToolServiceOptions): ServiceImpl<typeof ToolService> {
  const { registry } = options;
  return {
    listTools: (request, context) => listTools(request, { ...options, principal: principalOf(context) }),
    executeTool: (request, context) => options.execute(request, context),
    runTool: (request, context) => runTool(request, context, options.local),
    getCall(request, context) {
      requireFields(request, ["projectId", "callId"]);
      const call = requireCall(
        registry,
        { tenant: principalOf(context).tenant, project: request.projectId },
        request.callId,
      );
      return create(GetCallResponseSchema, {
        callId: call.id,
        tool: call.tool,
        state: STATES[call.run.state],
        lastSeq: call.run.journal.lastSeq,
        createdAt: timestampFromMs(call.createdAtMs),
        sessionId: call.sessionId,
        mode: modeMessage(call.mode),
        ...(call.run.result === undefined ? {} : { result: call.run.result }),
      });
    },
    async cancelCall(request, context) {
      requireFields(request, ["projectId", "callId"]);
      const key = { tenant: principalOf(context).tenant, project: request.projectId };
      if (!registry.knows(key)) throw notFound();
      const cancellation = await cancelCall(registry, { key, callId: request.callId, said: request.reason });
      return create(CancelCallResponseSchema, {
        outcome: CANCEL_OUTCOMES[cancellation.did],
        ...(cancellation.did === "buried" ? {} : { result: cancellation.result }),
      });
    },
    attachCall: () => notImplemented("AttachCall"),
    respondToInput: () => notImplemented("RespondToInput"),
    readArtifact: () => notImplemented("ReadArtifact"),
  };
}

async function runTool(
  request: ExecuteToolRequest,
  context: HandlerContext,
  local: LocalClient,
): Promise<MessageInitShape<typeof RunToolResponseSchema>> {
  const events = local.execute(request, {
    signal: context.signal,
    header: context.requestHeader,
    prepare: (values) => {
      values.set(kPrincipal, context.values.get(kPrincipal));
      values.set(kTransport, context.values.get(kTransport));
    },
  });
  let accepted: Accepted | undefined;
  for await (const { event } of events) {
    if (event?.event.case === "accepted") {
      accepted = event.event.value;
      context.responseHeader.set("handrail-call-id", accepted.callId);
    }
    if (event?.event.case === "result") {
      return {
        callId: accepted?.callId ?? "",
        admission: accepted?.admission ?? Admission.UNSPECIFIED,
        result: event.event.value,
      };
    }
  }
  throw statusError("INTERNAL", "the call ended without a result");
}
