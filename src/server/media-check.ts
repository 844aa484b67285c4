import type { UniversalHandler } from "@connectrpc/connect/protocol";

import type { RequestProtocol } from "./request-protocol.js";
import type { TextReply } from "./text-reply.js";

/** Options of checkMedia. */
export interface MediaOptions {
  /** The RPC that the path names. Undefined if there is none. */
  readonly handler: UniversalHandler | undefined;
  readonly method: string;
  readonly contentType: string | undefined;
  readonly protocol: RequestProtocol | undefined;
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
}

/** Checks that an RPC comes in a form that can be answered: HTTP version, method and content type. */
export function checkMedia(options: MediaOptions): TextReply | undefined {
  const { handler, method, contentType, protocol, httpVersion } = options;
  const overHttp1 = httpVersion.startsWith("1.");
  if (overHttp1 && protocol === "grpc") {
    return {
      status: 505,
      text: `gRPC needs HTTP/2, this is HTTP/${httpVersion}. Use HTTP/2 (h2c with prior knowledge on this same port), gRPC-Web or Connect.`,
    };
  }
  if (handler === undefined) return undefined;
  const kind = handler.method.methodKind;
  const methods = kind === "unary" ? handler.allowedMethods : ["POST"];
  if (!methods.includes(method)) {
    return {
      status: 405,
      text: `${handler.requestPath} takes ${methods.join(" or ")}, not ${method}.`,
      headers: { allow: methods.join(", ") },
    };
  }
  if (overHttp1 && kind === "bidi_streaming") {
    return { status: 505, text: `${handler.requestPath} streams both ways and needs HTTP/2.` };
  }
  if (method === "GET" || handler.supportedContentType(contentType ?? null)) return undefined;
  const connect =
    kind === "unary"
      ? "application/json, application/proto"
      : "application/connect+json, application/connect+proto";
  return {
    status: 415,
    text: `${handler.requestPath} does not take content-type ${JSON.stringify((contentType ?? "").slice(0, 100))}: send application/grpc, application/grpc-web or ${connect}.`,
  };
}
