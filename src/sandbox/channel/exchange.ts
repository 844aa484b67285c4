import { fromBinary } from "@bufbuild/protobuf";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { AgentErrorSchema, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure, ChannelLost } from "./agent-client.js";
import { agentFailure } from "./agent-failure.js";
import type { CancelStream } from "./cancellation.js";
import { deferred } from "./deferred.js";
import { endFrame, encodeFrames, FrameError, FrameKind } from "./frame.js";
import { readFrames } from "./frame-reader.js";
import { FrameWriter } from "./frame-writer.js";

/** Options of openExchange. */
export interface ExchangeOptions {
  /** The `:path` of the method. */
  readonly path: string;
  /** Aborting cancels the stream. */
  readonly signal: AbortSignal;
  readonly cancel: CancelStream;
  /** Receives the encoded responses in order. While a returned promise is pending, the agent is held back. */
  readonly onMessage: (payload: Uint8Array) => void | Promise<void>;
}

/** The service's end of one HTTP/2 stream. */
export interface Exchange {
  readonly writer: FrameWriter;
  /** Half-closes, if that was not done. */
  end(): void;
  /** Resolves after the last response; rejects with AgentFailure, ChannelLost or the reason of the signal. */
  readonly done: Promise<void>;
  /** Cancels the stream and rejects `done` with the error. */
  fail(error: unknown): void;
}

/** Opens a stream. Throws ChannelLost, or the reason of a signal that is aborted. */
export function openExchange(session: ClientHttp2Session, options: ExchangeOptions): Exchange {
  const { path, signal, cancel, onMessage } = options;
  signal.throwIfAborted();
  const stream = request(session, path);
  const writer = new FrameWriter(stream);
  const outcome = deferred<void>();
  outcome.promise.catch(() => undefined);
  let settled = false;
  let cause: unknown;

  const end = (): void => writer.end(encodeFrames(endFrame));
  const settle = (): boolean => {
    if (settled) return false;
    settled = true;
    signal.removeEventListener("abort", onAbort);
    return true;
  };
  const succeed = (): void => {
    if (!settle()) return;
    end();
    outcome.resolve();
  };
  const fail = (error: unknown): void => {
    if (!settle()) return;
    cancel(stream);
    stream.resume();
    outcome.reject(error);
  };
  const failByAgent = (payload: Uint8Array): void => {
    if (!settle()) return;
    end();
    outcome.reject(new AgentFailure(fromBinary(AgentErrorSchema, payload)));
  };
  const onAbort = (): void => fail(signal.reason as unknown);

  signal.addEventListener("abort", onAbort, { once: true });
  stream.on("error", (error: unknown) => (cause = error));
  readFrames(stream, {
    onFrame({ kind, payload }) {
      if (settled) return undefined;
      if (kind === FrameKind.message) return onMessage(payload);
      if (kind === FrameKind.error) failByAgent(payload);
      else succeed();
      return undefined;
    },
    onError: (error) =>
      fail(
        error instanceof FrameError
          ? agentFailure(ErrorKind.INTERNAL, `the agent sent ${error.message}`)
          : error,
      ),
    onClosed() {
      if (!settled) fail(new ChannelLost("the agent's answer broke off", { cause }));
    },
  });
  return { writer, end, done: outcome.promise, fail };
}

function request(session: ClientHttp2Session, path: string): ClientHttp2Stream {
  try {
    return session.request({ ":method": "POST", ":path": path }, { endStream: false });
  } catch (cause) {
    throw new ChannelLost("the channel to the agent is closed", { cause });
  }
}
