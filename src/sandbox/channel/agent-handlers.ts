import type { MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { AgentService } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";

/** What a handler is given besides its request. */
export interface HandlerContext {
  /** Aborts with ChannelReset when the caller resets the stream or the channel closes before the handler has settled. */
  readonly signal: AbortSignal;
}

/** The caller does not want the answer any more. */
export class ChannelReset extends Error {
  override readonly name = "ChannelReset";
}

/** Sends one response. Returns a promise if the handler should wait before it sends more; it never rejects. */
export type Respond<Response> = (response: Response) => Promise<void> | undefined;

type Methods = typeof AgentService.method;

type Handler<M extends Methods[keyof Methods]> = M["methodKind"] extends "unary"
  ? (request: MessageShape<M["input"]>, context: HandlerContext) => Promise<MessageInitShape<M["output"]>>
  : M["methodKind"] extends "server_streaming"
    ? (
        request: MessageShape<M["input"]>,
        respond: Respond<MessageInitShape<M["output"]>>,
        context: HandlerContext,
      ) => Promise<void>
    : (
        requests: AsyncIterable<MessageShape<M["input"]>>,
        respond: Respond<MessageInitShape<M["output"]>>,
        context: HandlerContext,
      ) => Promise<void>;

/** What the agent does for each method of AgentService. A thrown AgentFailure is sent as it is. */
export type AgentHandlers = { readonly [K in keyof Methods]: Handler<Methods[K]> };
