import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { constants, performServerHandshake } from "node:http2";
import { AgentService, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "./agent-failure.js";
import type { AgentHandlers, HandlerContext, Respond } from "./agent-handlers.js";
import type { BufferedPipe } from "./buffered-pipe.js";
import { cancelPath, Cancellations } from "./cancellation.js";
import { channelWindowBytes, sessionOptions } from "./channel-limits.js";
import { deferred } from "./deferred.js";
import { methodPath } from "./method-path.js";
import type { RequestQueue } from "./request-queue.js";
import { serveCall } from "./server-call.js";
import type { ServerCall } from "./server-call.js";

/** The agent's end of a channel. */
export interface ServedChannel {
  /** Resolves when the channel is closed for whatever reason. Never rejects. */
  readonly closed: Promise<void>;
  /** Closes the channel; the signals of running handlers abort. */
  close(): void;
}

/** Serves the methods of AgentService on a pipe. `onInternalError` hears of every exception that was answered INTERNAL. */
export function serveAgent(
  pipe: BufferedPipe,
  handlers: AgentHandlers,
  { onInternalError }: { onInternalError: (error: Error) => void },
): ServedChannel {
  const closed = deferred<void>();
  const routes = routesOf(handlers);
  const cancellations = new Cancellations();
  const session = performServerHandshake(pipe, sessionOptions);
  const close = (): void => {
    session.destroy();
    pipe.destroy();
    closed.resolve();
  };
  session.setLocalWindowSize(channelWindowBytes);
  session.on("error", () => undefined);
  pipe.on("error", () => undefined);
  session.once("close", close);
  pipe.once("end", close);
  pipe.once("close", close);
  session.on("stream", (stream, headers) => {
    const path = String(headers[constants.HTTP2_HEADER_PATH]);
    if (path === cancelPath) cancellations.obey(stream, session);
    else if (cancellations.admit(stream))
      serveCall(stream, { handle: routes.get(path) ?? unknownMethod(path), onInternalError });
  });
  return { closed: closed.promise, close };
}

type Route = (call: ServerCall) => Promise<void>;

function routesOf(handlers: AgentHandlers): ReadonlyMap<string, Route> {
  const { hello, run, killRun, killAll, readLines, readBytes, stat, writeFile, listTree } =
    AgentService.method;
  const { watchDials, answerDial, dial } = AgentService.method;
  return new Map([
    [methodPath(hello), unary(hello, handlers.hello)],
    [methodPath(run), streaming(run, handlers.run)],
    [methodPath(killRun), unary(killRun, handlers.killRun)],
    [methodPath(killAll), unary(killAll, handlers.killAll)],
    [methodPath(readLines), unary(readLines, handlers.readLines)],
    [methodPath(readBytes), serverStreaming(readBytes, handlers.readBytes)],
    [methodPath(stat), unary(stat, handlers.stat)],
    [methodPath(writeFile), streaming(writeFile, handlers.writeFile)],
    [methodPath(listTree), unary(listTree, handlers.listTree)],
    [methodPath(watchDials), serverStreaming(watchDials, handlers.watchDials)],
    [methodPath(answerDial), streaming(answerDial, handlers.answerDial)],
    [methodPath(dial), streaming(dial, handlers.dial)],
  ]);
}

function unknownMethod(path: string): Route {
  return () => Promise.reject(agentFailure(ErrorKind.INVALID, `the agent has no method ${path}`));
}

function unary<M extends DescMethod>(
  { input, output }: M,
  handler: (
    request: MessageShape<M["input"]>,
    context: HandlerContext,
  ) => Promise<MessageInitShape<M["output"]>>,
): Route {
  return async (call) => {
    const response = await handler(await onlyRequest<M["input"]>(input, call.requests), call);
    call.respondLast(encode<M["output"]>(output, response));
  };
}

function serverStreaming<M extends DescMethod>(
  { input, output }: M,
  handler: (
    request: MessageShape<M["input"]>,
    respond: Respond<MessageInitShape<M["output"]>>,
    context: HandlerContext,
  ) => Promise<void>,
): Route {
  return async (call) => {
    const request = await onlyRequest<M["input"]>(input, call.requests);
    await handler(request, (response) => call.respond(encode<M["output"]>(output, response)), call);
  };
}

function streaming<M extends DescMethod>(
  { input, output }: M,
  handler: (
    requests: AsyncIterable<MessageShape<M["input"]>>,
    respond: Respond<MessageInitShape<M["output"]>>,
    context: HandlerContext,
  ) => Promise<void>,
): Route {
  return (call) =>
    handler(
      decodeAll<M["input"]>(input, call.requests),
      (response) => call.respond(encode<M["output"]>(output, response)),
      call,
    );
}

async function onlyRequest<D extends DescMessage>(
  schema: D,
  requests: RequestQueue,
): Promise<MessageShape<D>> {
  const payload = await requests.next();
  if (payload === undefined) throw agentFailure(ErrorKind.INVALID, "the request is missing");
  return decode(schema, payload);
}

async function* decodeAll<D extends DescMessage>(
  schema: D,
  requests: RequestQueue,
): AsyncGenerator<MessageShape<D>, void, undefined> {
  for (let payload = await requests.next(); payload !== undefined; payload = await requests.next())
    yield decode(schema, payload);
}

function decode<D extends DescMessage>(schema: D, payload: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, payload);
  } catch (error) {
    throw agentFailure(ErrorKind.INVALID, `the request is no ${schema.typeName}: ${String(error)}`);
  }
}

function encode<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array {
  return toBinary(schema, create(schema, message));
}
