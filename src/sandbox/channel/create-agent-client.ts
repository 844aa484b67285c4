import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { connect } from "node:http2";
import type { Duplex } from "node:stream";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { ChannelLost } from "./agent-client.js";
import type { AgentClient, AgentStream, AgentStreamOptions } from "./agent-client.js";
import { agentFailure } from "./agent-failure.js";
import { openCancellation } from "./cancellation.js";
import { channelWindowBytes, sessionOptions } from "./channel-limits.js";
import { deferred } from "./deferred.js";
import { openExchange } from "./exchange.js";
import { encodeFrames, endFrame, FrameError, FrameKind } from "./frame.js";
import { methodPath } from "./method-path.js";

/** Makes the service's end of the channel on the pipe to an agent. The pipe belongs to the client from then on. */
export function createAgentClient(duplex: Duplex): AgentClient {
  const closed = deferred<ChannelLost>();
  let cause: unknown;
  const session = connect("http://agent", { ...sessionOptions, createConnection: () => duplex });
  const cancel = openCancellation(session);
  const lose = (): void => {
    session.destroy();
    duplex.destroy();
    closed.resolve(new ChannelLost("the channel to the agent closed", { cause }));
  };
  session.once("connect", () => {
    if (!session.destroyed) session.setLocalWindowSize(channelWindowBytes);
  });
  session.on("error", (error: unknown) => (cause ??= error));
  duplex.on("error", (error: unknown) => (cause ??= error));
  session.once("close", lose);
  duplex.once("end", lose);
  duplex.once("close", lose);

  return {
    call: (method, request, { signal }) => callOnce(method, request, signal),
    stream: openStream,
    closed: closed.promise,
    close: lose,
  };

  async function callOnce<M extends DescMethod>(
    method: M,
    request: MessageInitShape<M["input"]>,
    signal: AbortSignal,
  ): Promise<MessageShape<M["output"]>> {
    const responses: MessageShape<M["output"]>[] = [];
    const bytes = encodeRequest<M["input"]>(method.input, request, { last: true });
    const exchange = openExchange(session, {
      path: methodPath(method),
      signal,
      cancel,
      onMessage: (payload) => {
        if (responses.length > 0) throw agentFailure(ErrorKind.INTERNAL, "the agent answered twice");
        responses.push(decodeResponse<M["output"]>(method.output, payload));
      },
    });
    exchange.writer.end(bytes);
    await exchange.done;
    const [response] = responses;
    if (response === undefined) throw agentFailure(ErrorKind.INTERNAL, "the agent answered nothing");
    return response;
  }

  function openStream<M extends DescMethod>(
    method: M,
    { signal, onResponse }: AgentStreamOptions<M>,
  ): AgentStream<M> {
    const exchange = openExchange(session, {
      path: methodPath(method),
      signal,
      cancel,
      onMessage: (payload) => onResponse(decodeResponse<M["output"]>(method.output, payload)),
    });
    return {
      async send(request) {
        await exchange.writer.write(encodeRequest(method.input, request, { last: false }));
      },
      end: () => exchange.end(),
      done: exchange.done,
    };
  }
}

function encodeRequest<D extends DescMessage>(
  schema: D,
  request: MessageInitShape<D>,
  { last }: { last: boolean },
): Uint8Array {
  const message = { kind: FrameKind.message, payload: toBinary(schema, create(schema, request)) };
  try {
    return last ? encodeFrames(message, endFrame) : encodeFrames(message);
  } catch (error) {
    if (error instanceof FrameError) throw agentFailure(ErrorKind.INVALID, error.message);
    throw error;
  }
}

function decodeResponse<D extends DescMessage>(schema: D, payload: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, payload);
  } catch (error) {
    throw agentFailure(ErrorKind.INTERNAL, `the agent sent no ${schema.typeName}: ${String(error)}`);
  }
}
