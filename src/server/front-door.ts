import type { Http2ServerRequest, Http2Session } from "node:http2";
import type { Socket } from "node:net";
import type { ConnectError } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";

import type { Authenticate } from "./authenticate.js";
import { errorResponse } from "./error-response.js";
import { checkMedia } from "./media-check.js";
import type { NodeRequest, NodeResponse } from "./node-exchange.js";
import { isHttp2Request, isHttp2Response } from "./node-exchange.js";
import { corsHeaders, preflightHeaders } from "./origin.js";
import type { Pages } from "./pages.js";
import { refusal } from "./refusal.js";
import { checkHost, checkOrigin } from "./request-gates.js";
import type { RequestProtocol } from "./request-protocol.js";
import { requestProtocol } from "./request-protocol.js";
import { writeResponse } from "./response-writer.js";
import { serveRpc } from "./rpc-adapter.js";
import type { RunningCalls } from "./running-calls.js";
import type { ServerLog } from "./server-log.js";
import type { ServingState } from "./serving-state.js";
import { sendText } from "./text-reply.js";
import type { TextReply } from "./text-reply.js";

/** Options of createFrontDoor. */
export interface FrontDoorOptions {
  /** The RPC of a path. */
  readonly handlerOf: (path: string) => UniversalHandler | undefined;
  /** Services that need no credentials and answer during a drain. */
  readonly openServices: ReadonlySet<string>;
  /** Services whose streams a drain does not wait for. */
  readonly uncountedServices: ReadonlySet<string>;
  readonly authenticate: Authenticate;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly pages: Pages;
  /** What GET /metrics answers. Default: there is no such page. */
  readonly metrics?: () => Promise<string>;
  readonly state: ServingState;
  readonly running: RunningCalls;
  readonly socketOf: (session: Http2Session) => Socket | undefined;
  readonly log: ServerLog;
}

/** One request on its way in. */
export interface Visit {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  /** Lets a client that waits for 100 Continue send the body. */
  readonly acceptBody: () => void;
}

const drainRetryMs = 1000;

/** Makes what takes every request: host, origin, plain pages, credentials, drain, then the RPC. It never throws. */
export function createFrontDoor(options: FrontDoorOptions): (visit: Visit) => void {
  return (visit) => {
    enter(visit, options).catch(async (reason: unknown) => {
      options.log.error({ error: String(reason) }, "a request could not be answered");
      if (visit.response.headersSent) visit.response.destroy();
      else
        await sendText(visit.response, {
          status: 500,
          text: "The service could not answer; its log has the cause.",
        });
    });
  };
}

async function enter(visit: Visit, options: FrontDoorOptions): Promise<void> {
  const { request, response } = visit;
  if (isHttp2Request(request) && !isServed(request, options)) return;
  const { method = "", url = "" } = request;
  if (options.state.draining && !isHttp2Response(response)) response.setHeader("connection", "close");
  const stranger = checkHost(request, options.allowedHosts) ?? checkOrigin(request, options.allowedOrigins);
  if (stranger) return sendText(response, stranger);
  const { origin, "content-type": contentType } = request.headers;
  if (origin !== undefined) {
    for (const [name, value] of Object.entries(corsHeaders(origin))) response.setHeader(name, value);
    if (method === "OPTIONS")
      return sendText(response, { status: 204, text: "", headers: preflightHeaders() });
  }
  const path = url.split("?", 1)[0] ?? "";
  const handler = options.handlerOf(path);
  const protocol = requestProtocol({ method, contentType, knownPath: handler !== undefined });
  const { httpVersion } = request;
  const unfit = checkMedia({ handler, method, contentType, protocol, httpVersion });
  if (unfit) return sendText(response, unfit);
  if (protocol === undefined) {
    const isMetrics = method === "GET" && path === "/metrics";
    const metrics = isMetrics ? await metricsReply(request, options) : undefined;
    return sendText(response, metrics ?? options.pages.reply(method, path));
  }
  return callRpc({ ...visit, path, handler, protocol }, options);
}

/** False if the session of the request is gone or is being ended for flooding. */
function isServed({ stream }: Http2ServerRequest, { socketOf }: FrontDoorOptions): boolean {
  return stream.session !== undefined && socketOf(stream.session) !== undefined;
}

/** The metrics, which are of all tenants, for those who may manage; undefined if there are none. */
async function metricsReply(
  request: NodeRequest,
  { authenticate, metrics }: FrontDoorOptions,
): Promise<TextReply | undefined> {
  if (metrics === undefined) return undefined;
  const principal = authenticate(request.headers);
  if (principal === undefined) return { status: 401, text: "No valid credentials were sent." };
  if (!principal.rights.has("manage"))
    return { status: 403, text: 'The metrics need the right "manage", which these credentials lack.' };
  return { status: 200, text: (await metrics()).trimEnd() };
}

interface RpcVisit extends Visit {
  readonly path: string;
  readonly handler: UniversalHandler | undefined;
  readonly protocol: RequestProtocol;
}

async function callRpc(visit: RpcVisit, options: FrontDoorOptions): Promise<void> {
  const { request, response, acceptBody, path, handler, protocol } = visit;
  const { openServices, uncountedServices, socketOf, log } = options;
  const service = handler?.service.typeName ?? "";
  const isOpen = openServices.has(service);
  const principal = isOpen ? undefined : options.authenticate(request.headers);
  const refuse = (error: ConnectError): Promise<void> => {
    const contentType = request.headers["content-type"] ?? "";
    return writeResponse(response, errorResponse({ protocol, contentType, error }));
  };
  if (!isOpen && principal === undefined) return refuse(unauthenticated());
  if (handler === undefined) return refuse(unknownMethod(path));
  if (!isOpen && options.state.draining) return refuse(draining());
  const call = serveRpc({ request, response, protocol, handler, principal, socketOf, acceptBody, log });
  await (uncountedServices.has(service) ? call : options.running.track(call));
}

function unauthenticated(): ConnectError {
  return refusal({
    code: Code.Unauthenticated,
    reason: "UNAUTHENTICATED",
    message: "no valid credentials: send the header authorization: Bearer <token>",
  });
}

function unknownMethod(path: string): ConnectError {
  return refusal({
    code: Code.Unimplemented,
    reason: "NOT_IMPLEMENTED",
    message: `the service has no method ${path.slice(0, 200)}; gRPC server reflection lists what it has`,
    metadata: { method: path.slice(0, 200) },
  });
}

function draining(): ConnectError {
  return refusal({
    code: Code.Unavailable,
    reason: "DRAINING",
    message:
      "the service is going down and starts nothing new: call again, it goes to another replica or the next start",
    retryDelayMs: drainRetryMs,
  });
}
