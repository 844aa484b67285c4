import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import type { Accepted } from "../../gen/handrail/v1/events_pb.js";
import {
  AttachCallResponseSchema,
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
import { acceptedEvent, foundAdmission } from "../calls/accepted.js";
import type { Call, CallPhase } from "../calls/call.js";
import { kReader } from "../calls/call-context.js";
import type { CallRegistry } from "../calls/call-registry.js";
import { cancelCall } from "../calls/cancel-call.js";
import type { Cancellation } from "../calls/cancel-call.js";
import type { ServiceConditions } from "../calls/conditions-of.js";
import { modeMessage } from "../calls/effective-mode.js";
import type { ExecuteToolHandler, LocalClient } from "../calls/local-client.js";
import type { Maskers } from "../calls/masked-workspace.js";
import { readCall } from "../calls/reader.js";
import type { ToolRegistry } from "../tools/registry.js";
import { kTransport } from "./context-keys.js";
import type { WorkspaceManager } from "../workspace/workspace.js";
import { filesStatus } from "./files-status.js";
import { listTools } from "./list-tools.js";
import { notFound, principalOf, requireCall, requireFields } from "./preconditions.js";
import { kPrincipal } from "./context-keys.js";
import { readArtifact } from "./read-artifact.js";
import { statusError } from "./status.js";
import { notImplemented } from "./not-implemented.js";

/** What ToolService needs. */
export interface ToolServiceOptions {
  readonly registry: CallRegistry;
  readonly tools: ToolRegistry;
  readonly conditions: ServiceConditions;
  readonly execute: ExecuteToolHandler;
  readonly local: LocalClient;
  readonly workspaces: WorkspaceManager;
  readonly maskers: Maskers;
  /** Quiet time of a stream before a heartbeat, in ms. */
  readonly heartbeatMs: number;
}

const STATES: Readonly<Record<CallPhase, CallState>> = {
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

  const callOf = async (
    request: { projectId: string; callId: string },
    context: HandlerContext,
  ): Promise<Call> => {
    requireFields(request, ["projectId", "callId"]);
    const key = { tenant: principalOf(context).tenant, project: request.projectId };
    return requireCall(registry, key, request.callId);
  };

  return {
    listTools: (request, context) => listTools(request, { ...options, principal: principalOf(context) }),
    executeTool: (request, context) => options.execute(request, context),
    runTool: (request, context) => runTool(request, context, options.local),
    async getCall(request, context) {
      const { id, facts, phase, journal, result } = await callOf(request, context);
      return create(GetCallResponseSchema, {
        callId: id,
        tool: facts.tool,
        state: STATES[phase],
        lastSeq: journal.lastSeq,
        createdAt: timestampFromMs(facts.createdAtMs),
        sessionId: facts.sessionId,
        mode: modeMessage(facts.mode),
        ...(result === undefined ? {} : { result }),
      });
    },
    async cancelCall(request, context) {
      requireFields(request, ["projectId", "callId"]);
      const key = { tenant: principalOf(context).tenant, project: request.projectId };
      if (!(await registry.knows(key))) throw notFound();
      const cancellation = await cancelCall(registry, { key, callId: request.callId, said: request.reason });
      return create(CancelCallResponseSchema, {
        outcome: CANCEL_OUTCOMES[cancellation.did],
        ...(cancellation.did === "buried" ? {} : { result: cancellation.result }),
      });
    },
    async *attachCall(request, context) {
      const { afterSeq } = request;
      if (afterSeq < 0) {
        const description = `is ${afterSeq}; it must be 0 or the last seq that you have`;
        throw statusError("INVALID_REQUEST", `after_seq ${description}`, {
          violations: [{ field: "after_seq", description }],
        });
      }
      const call = await callOf(request, context);
      const signal = context.values.get(kReader)?.signal ?? context.signal;
      const accepted = acceptedEvent(call, foundAdmission(call));
      for await (const event of readCall({
        call,
        accepted,
        afterSeq,
        signal,
        heartbeatMs: options.heartbeatMs,
      }))
        yield create(AttachCallResponseSchema, { event });
    },
    respondToInput: () => notImplemented("RespondToInput"),
    async *readArtifact(request, context) {
      requireFields(request, ["projectId", "artifactId"]);
      const key = { tenant: principalOf(context).tenant, project: request.projectId };
      const { workspaces, maskers } = options;
      const signal = context.values.get(kReader)?.signal ?? context.signal;
      if (!(await registry.knows(key))) throw notFound();
      const workspace = await workspaces.getOrCreate(key, { signal }).catch((error: unknown) => {
        throw filesStatus(error);
      });
      yield* readArtifact(request, { workspace, masker: maskers.of(key), signal });
    },
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
