import { setMaxListeners } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection as ReflectionV1 } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { AbortReason } from "../calls/abort-reason.js";
import { isLoopback } from "./authority.js";
import { drainServer } from "./drain.js";
import { createFrontDoor } from "./front-door.js";
import { createHttp1Server } from "./http1-server.js";
import { createHttp2Server } from "./http2-server.js";
import { listen } from "./listener.js";
import { createPages } from "./pages.js";
import { handlerFinder } from "./plain-routes.js";
import { buildRouter, serviceNames } from "./router.js";
import { RunningCalls } from "./running-calls.js";
import type { RunningServer, ServerOptions } from "./server-options.js";
import { ServingState } from "./serving-state.js";
import { SessionTracker } from "./session-tracker.js";

/**
 * Serves the routes, health and reflection over gRPC, gRPC-Web and Connect on one port. Rejects if the port cannot be
 * had, and with a RangeError if everyone is let in on an address that is not loopback.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, log, idleMs = 300_000, firstBytesTimeoutMs = 15_000, abortGraceMs = 2000 } = options;
  if (options.authenticate.loopbackOnly === true && !isLoopback(host)) {
    throw new RangeError(
      `refusing to listen on ${host} without authentication: set tokens, or listen on 127.0.0.1`,
    );
  }
  const shutdown = new AbortController();
  setMaxListeners(0, shutdown.signal);
  const state = new ServingState();
  const running = new RunningCalls();
  const sessions = new SessionTracker({ idleMs, log, now: () => performance.now() });
  const router = buildRouter(options, { state, signal: shutdown.signal });
  let url = "";
  const visit = createFrontDoor({
    handlerOf: handlerFinder(new Map(router.handlers.map((handler) => [handler.requestPath, handler]))),
    openServices: new Set([Health.typeName]),
    uncountedServices: new Set([Health.typeName, ReflectionV1.typeName, ReflectionV1Alpha.typeName]),
    authenticate: options.authenticate,
    allowedHosts: [host, ...options.allowedHosts],
    allowedOrigins: options.allowedOrigins,
    pages: createPages({
      state,
      services: () => serviceNames(router),
      url: () => url,
      ...(options.version !== undefined && { version: options.version }),
    }),
    ...(options.metrics !== undefined && { metrics: options.metrics }),
    state,
    running,
    socketOf: sessions.socketOf,
    log,
  });
  const http1 = createHttp1Server({
    headersTimeoutMs: firstBytesTimeoutMs,
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
    idleMs,
    onRequest: (request, response, acceptBody) => visit({ request, response, acceptBody }),
  });
  const http2 = createHttp2Server({
    maxConcurrentStreams: options.maxConcurrentStreams ?? 128,
    settingsTimeoutMs: firstBytesTimeoutMs,
    onRequest: (request, response, acceptBody) => visit({ request, response, acceptBody }),
  });
  const adopt = (socket: Socket): void => {
    const onSession = (session: ServerHttp2Session): void => sessions.add(session, socket);
    http2.once("session", onSession);
    http2.emit("connection", socket);
    http2.off("session", onSession);
  };
  const listener = await listen({
    host,
    port: options.port,
    tls: options.tls,
    firstBytesTimeoutMs,
    onHttp1: (socket) => http1.emit("connection", socket),
    onHttp2: adopt,
  });
  url = formatUrl({ tls: options.tls !== undefined, host, port: listener.address.port });
  log.info({ url }, "listening");

  const abortCalls = (): void => {
    if (!shutdown.signal.aborted) shutdown.abort(new AbortReason("shutdown", "the service is going down"));
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      state.startDraining();
      abortCalls();
      await sessions.destroyAll();
      http1.close();
      await listener.close();
      log.info({ url }, "closed");
    })();
    return closing;
  };
  let drained: Promise<void> | undefined;
  return {
    address: { host, port: listener.address.port },
    url,
    get draining() {
      return state.draining;
    },
    shutdownSignal: shutdown.signal,
    drain: () => {
      drained ??= drainServer({
        ...{ state, sessions, running, abortGraceMs, abortCalls, log },
        drainMs: options.drainMs ?? 10_000,
      }).then(close);
      return drained;
    },
    close,
  };
}

function formatUrl({ tls, host, port }: { tls: boolean; host: string; port: number }): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${tls ? "https" : "http"}://${name}:${port}`;
}
