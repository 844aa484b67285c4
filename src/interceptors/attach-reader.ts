import { create } from "@bufbuild/protobuf";
import type { StreamRequest, StreamResponse } from "@connectrpc/connect";
import type { Admission, CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { ExecuteToolResponseSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { acceptedEvent, foundAdmission } from "../calls/accepted.js";
import type { Call } from "../calls/call.js";
import { kReader } from "../calls/call-context.js";
import { readCall } from "../calls/reader.js";

/** What a reader needs of the policy. */
export interface AttachOptions {
  /** Quiet time of a stream before a heartbeat, in ms. */
  readonly heartbeatMs: number;
}

/** The response of an RPC that reads a call from its beginning. */
export function attachReader(
  request: StreamRequest,
  call: Call,
  options: AttachOptions & { admission?: Admission },
): StreamResponse {
  const scope = request.contextValues.get(kReader);
  const events = readCall({
    call,
    accepted: acceptedEvent(call, options.admission ?? foundAdmission(call)),
    afterSeq: 0,
    signal: scope?.signal ?? request.signal,
    heartbeatMs: options.heartbeatMs,
  });
  return {
    stream: true,
    service: request.service,
    method: request.method,
    ...protocolHeaders(request, call.id),
    message: asResponses(events),
  };
}

function asResponses(events: AsyncIterableIterator<CallEvent>): AsyncIterableIterator<ExecuteToolResponse> {
  const wrap = (step: IteratorResult<CallEvent>): IteratorResult<ExecuteToolResponse> =>
    step.done === true
      ? { done: true, value: undefined }
      : { done: false, value: create(ExecuteToolResponseSchema, { event: step.value }) };
  return {
    next: async () => wrap(await events.next()),
    return: async () => {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Header and trailer of a stream that is answered before the handler is reached. Connect replaces those of its protocol
 * by these: in every protocol a stream has the content type of its request, and gRPC's trailer begins as a success.
 */
function protocolHeaders(request: StreamRequest, callId: string): { header: Headers; trailer: Headers } {
  const header = new Headers({ "handrail-call-id": callId });
  const trailer = new Headers();
  const contentType = request.header.get("content-type");
  if (contentType !== null) header.set("content-type", contentType);
  if (contentType?.startsWith("application/grpc") === true) trailer.set("grpc-status", "0");
  return { header, trailer };
}
