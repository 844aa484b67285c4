import { createServer } from "node:http2";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";

/** Options of createHttp2Server. */
export interface Http2Options {
  /** Most streams of one session at once. */
  readonly maxConcurrentStreams: number;
  /** Longest wait for the first settings of a client, in ms. */
  readonly settingsTimeoutMs: number;
  /** Handles a request. `acceptBody` lets a client that waits for 100 Continue send the body. */
  readonly onRequest: (
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    acceptBody: () => void,
  ) => void;
}

const streamWindowBytes = 1024 * 1024;
const sessionWindowBytes = 8 * 1024 * 1024;
const maxSessionMemoryMegabytes = 64;

/** An HTTP/2 server for sockets that someone else accepts, with windows for bulk data. */
export function createHttp2Server(options: Http2Options): Http2Server {
  const { maxConcurrentStreams, settingsTimeoutMs, onRequest } = options;
  const server = createServer({
    settings: { maxConcurrentStreams, initialWindowSize: streamWindowBytes, enablePush: false },
    maxSessionMemory: maxSessionMemoryMegabytes,
  });
  server.on("session", (session) => {
    session.setLocalWindowSize(sessionWindowBytes);
    closeUnlessSettled(session, settingsTimeoutMs);
  });
  server.on("request", (request, response) => onRequest(request, response, () => undefined));
  server.on("checkContinue", (request, response) => {
    onRequest(request, response, () => response.writeContinue());
  });
  return server;
}

function closeUnlessSettled(session: ServerHttp2Session, timeoutMs: number): void {
  const timer = setTimeout(() => session.destroy(), timeoutMs);
  const stop = (): void => clearTimeout(timer);
  session.once("remoteSettings", stop);
  session.once("close", stop);
}
