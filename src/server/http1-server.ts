import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** Options of createHttp1Server. */
export interface Http1Options {
  /** Longest wait for the whole head of a request, in ms. */
  readonly headersTimeoutMs: number;
  /** Longest wait for the whole of a request, in ms. */
  readonly requestTimeoutMs: number;
  /** A connection without a request for so long is closed, in ms. */
  readonly idleMs: number;
  /** Handles a request. `acceptBody` lets a client that waits for 100 Continue send the body. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, acceptBody: () => void) => void;
}

const longestCheckIntervalMs = 5000;

/**
 * An HTTP/1.1 server for sockets that someone else accepts. Its time limits are enforced although it never listens
 * itself. Requests without a `Host` reach `onRequest`.
 */
export function createHttp1Server({
  headersTimeoutMs,
  requestTimeoutMs,
  idleMs,
  onRequest,
}: Http1Options): Server {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: Math.max(requestTimeoutMs, headersTimeoutMs),
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(longestCheckIntervalMs, headersTimeoutMs),
    requireHostHeader: false,
  });
  server.on("request", (request, response) => onRequest(request, response, () => undefined));
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    onRequest(request, response, () => response.writeContinue());
  });
  server.emit("listening");
  return server;
}
