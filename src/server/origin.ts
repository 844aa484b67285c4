import { cors } from "@connectrpc/connect";

const requestHeaders = [
  ...cors.allowedHeaders,
  "Authorization",
  "Traceparent",
  "Tracestate",
  "X-Request-Id",
].join(", ");
const exposedHeaders = [...cors.exposedHeaders, "Handrail-Call-Id", "X-Request-Id"].join(", ");
const preflightSeconds = 7200;

/** Options of isAllowedOrigin. */
export interface OriginOptions {
  /** The `Origin` of the request. */
  readonly origin: string;
  /** The origin under which the request reached the service. */
  readonly ownOrigin: string;
  /** Origins of other web pages that may call. */
  readonly allowedOrigins: readonly string[];
}

/** True if a web page of this origin may call the service. */
export function isAllowedOrigin({ origin, ownOrigin, allowedOrigins }: OriginOptions): boolean {
  const sent = origin.toLowerCase();
  return sent === ownOrigin.toLowerCase() || allowedOrigins.some((allowed) => allowed.toLowerCase() === sent);
}

/** Headers that let the page of an allowed origin read the answer. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": exposedHeaders,
    vary: "Origin",
  };
}

/** Headers of the answer to a preflight request of an allowed origin. */
export function preflightHeaders(): Record<string, string> {
  return {
    "access-control-allow-methods": cors.allowedMethods.join(", "),
    "access-control-allow-headers": requestHeaders,
    "access-control-max-age": String(preflightSeconds),
  };
}
