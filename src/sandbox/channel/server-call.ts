import { toBinary } from "@bufbuild/protobuf";
import { constants } from "node:http2";
import type { ServerHttp2Stream } from "node:http2";
import { AgentErrorSchema, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "./agent-client.js";
import { agentFailure } from "./agent-failure.js";
import { ChannelReset } from "./agent-handlers.js";
import type { HandlerContext } from "./agent-handlers.js";
import { encodeFrames, endFrame, FrameError, FrameKind } from "./frame.js";
import type { Frame } from "./frame.js";
import { readFrames } from "./frame-reader.js";
import { FrameWriter } from "./frame-writer.js";
import { RequestQueue } from "./request-queue.js";
import { toError } from "./to-error.js";

/** One call at the agent's end, with encoded messages. */
export interface ServerCall extends HandlerContext {
  readonly requests: RequestQueue;
  /** Sends a response. See Respond. */
  respond(payload: Uint8Array): Promise<void> | undefined;
  /** Sends the only response and the end of the stream together. */
  respondLast(payload: Uint8Array): void;
}

/** Options of serveCall. */
export interface ServeCallOptions {
  /** What is done for the call. */
  readonly handle: (call: ServerCall) => Promise<void>;
  /** Hears of an exception that is no AgentFailure: the caller is told INTERNAL. */
  readonly onInternalError: (error: Error) => void;
}

/** Runs one call on its HTTP/2 stream. Never throws. */
export function serveCall(stream: ServerHttp2Stream, { handle, onInternalError }: ServeCallOptions): void {
  const abort = new AbortController();
  const requests = new RequestQueue();
  const writer = new FrameWriter(stream);
  let settled = false;

  stream.on("error", () => undefined);
  stream.once("close", () => {
    if (settled) return;
    const reset = new ChannelReset("the caller reset the stream");
    requests.fail(reset);
    abort.abort(reset);
  });
  readFrames(stream, {
    onFrame({ kind, payload }) {
      if (kind === FrameKind.message) return requests.push(payload);
      requests.end();
      return undefined;
    },
    onError: (error) => requests.fail(error),
  });

  const open = (): void => {
    if (!stream.destroyed && !stream.headersSent) stream.respond({ ":status": constants.HTTP_STATUS_OK });
  };
  const finish = (last: readonly Frame[]): void => {
    settled = true;
    requests.discard();
    open();
    writer.end(encodeFrames(...last));
  };
  const call: ServerCall = {
    requests,
    signal: abort.signal,
    respond(payload) {
      open();
      return writer.write(encodeFrames({ kind: FrameKind.message, payload }));
    },
    respondLast: (payload) => finish([{ kind: FrameKind.message, payload }, endFrame]),
  };
  handle(call).then(
    () => {
      if (!settled) finish([endFrame]);
    },
    (error: unknown) => {
      if (abort.signal.aborted && error === abort.signal.reason) finish([]);
      else finish([{ kind: FrameKind.error, payload: encodeError(error, onInternalError) }]);
    },
  );
}

function encodeError(error: unknown, onInternalError: (error: Error) => void): Uint8Array {
  const failure = asFailure(error);
  if (failure.detail.kind === ErrorKind.INTERNAL) onInternalError(toError(error));
  return toBinary(AgentErrorSchema, failure.detail);
}

function asFailure(error: unknown): AgentFailure {
  if (error instanceof AgentFailure) return error;
  if (error instanceof FrameError) return agentFailure(ErrorKind.INVALID, error.message);
  return agentFailure(ErrorKind.INTERNAL, `internal error of the agent: ${toError(error).message}`);
}
