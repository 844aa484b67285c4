import type { DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { AgentError } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";

/** The agent answered with an error: the channel is well. */
export class AgentFailure extends Error {
  override readonly name = "AgentFailure";
  readonly detail: AgentError;

  constructor(detail: AgentError) {
    super(detail.message);
    this.detail = detail;
  }
}

/** The channel to the agent closed before the answer was complete. What became of the request is not known. */
export class ChannelLost extends Error {
  override readonly name = "ChannelLost";
}

/** A request stream that is under way. */
export interface AgentStream<M extends DescMethod> {
  /** Resolves when more may be sent. */
  send(request: MessageInitShape<M["input"]>): Promise<void>;
  /** Half-closes: no more requests. */
  end(): void;
  /** Resolves after the last response; rejects with AgentFailure, ChannelLost or the reason of the signal. */
  readonly done: Promise<void>;
}

/** Options of a stream. */
export interface AgentStreamOptions<M extends DescMethod> {
  /** Aborting resets the stream; the agent then ends what it does for it. */
  readonly signal: AbortSignal;
  /** Receives each response in order. While a returned promise is pending, the agent is held back. */
  readonly onResponse: (response: MessageShape<M["output"]>) => void | Promise<void>;
}

/** The service's end of the channel to one agent process. */
export interface AgentClient {
  /** One request, one response. Rejects with AgentFailure, ChannelLost or the reason of the signal. */
  call<M extends DescMethod>(
    method: M,
    request: MessageInitShape<M["input"]>,
    options: { signal: AbortSignal },
  ): Promise<MessageShape<M["output"]>>;
  /** Opens a stream. */
  stream<M extends DescMethod>(method: M, options: AgentStreamOptions<M>): AgentStream<M>;
  /** Resolves with the cause when the channel is closed for whatever reason. Never rejects. */
  readonly closed: Promise<ChannelLost>;
  /** Closes the channel; the agent and all its runs end. */
  close(): void;
}
