import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request of Node's HTTP/1.1 or HTTP/2 server. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The response that belongs to a NodeRequest. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Headers of a request, lower-case names, as Node gives them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** True for a response over HTTP/2. */
export function isHttp2Response(response: NodeResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** True for a request over HTTP/2. */
export function isHttp2Request(request: NodeRequest): request is Http2ServerRequest {
  return "stream" in request;
}

/** True if the request came by TLS. */
export function isEncrypted(request: NodeRequest): boolean {
  return "encrypted" in request.socket && request.socket.encrypted;
}
