import type { Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { Code, ConnectError, createContextValues } from "@connectrpc/connect";
import { universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";

import type { Principal } from "../domain/principal.js";
import { kPrincipal, kTransport } from "../rpc/context-keys.js";
import { checkDeadline } from "./deadline-header.js";
import { errorResponse } from "./error-response.js";
import { checkGetQuery } from "./get-query.js";
import type { NodeRequest, NodeResponse } from "./node-exchange.js";
import { refusal } from "./refusal.js";
import type { RequestProtocol } from "./request-protocol.js";
import { writeResponse } from "./response-writer.js";
import { isGone } from "./response-progress.js";
import type { ServerLog } from "./server-log.js";
import { transportInfo } from "./transport-info.js";

/** Options of serveRpc. */
export interface RpcOptions {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly protocol: RequestProtocol;
  readonly handler: UniversalHandler;
  /** Who calls. Undefined for an RPC that needs no credentials. */
  readonly principal: Principal | undefined;
  readonly socketOf: (session: Http2Session) => Socket | undefined;
  /** Lets a client that waits for 100 Continue send the body. */
  readonly acceptBody: () => void;
  readonly log: ServerLog;
}

/** Runs one RPC and writes its answer. Resolves once the answer is written or the client is gone. */
export async function serveRpc(options: RpcOptions): Promise<void> {
  const { request, response, protocol, handler, log } = options;
  const values = createContextValues();
  values.set(kPrincipal, options.principal);
  values.set(kTransport, transportInfo(request, options.socketOf));
  const call = universalRequestFromNodeRequest(request, response, undefined, values);
  const contentType = request.headers["content-type"] ?? "";
  const refused =
    checkDeadline(protocol, call.header) ?? (call.method === "GET" ? checkGetQuery(call.url) : undefined);
  if (refused) return writeResponse(response, errorResponse({ protocol, contentType, error: refused }));
  options.acceptBody();
  try {
    const answer = await handler({ ...call, body: request.iterator({ destroyOnReturn: false }) });
    if (call.method === "GET") forbidCaching(answer);
    await writeResponse(response, answer);
  } catch (reason) {
    const fields = { rpc: handler.requestPath, error: ConnectError.from(reason).message };
    log.error(fields, "an RPC could not be answered");
    if (response.headersSent || isGone(response)) response.destroy();
    else await writeResponse(response, errorResponse({ protocol, contentType, error: internalError() }));
  }
}

function forbidCaching({ header }: UniversalServerResponse): void {
  if (header?.has("cache-control") === false) header.set("cache-control", "private, no-store");
}

function internalError(): ConnectError {
  return refusal({
    code: Code.Internal,
    reason: "INTERNAL",
    message: "the service could not answer; its log has the cause",
  });
}
