/** The RPC protocol that a request speaks. `connect` is unary, by POST or GET. */
export type RequestProtocol = "grpc" | "grpc-web" | "connect" | "connect-stream";

const patterns: readonly (readonly [RequestProtocol, RegExp])[] = [
  ["grpc-web", /^application\/grpc-web(?:-text)?(?:[+;]|$)/i],
  ["grpc", /^application\/grpc(?:[+;]|$)/i],
  ["connect-stream", /^application\/connect\+(?:json|proto)(?:;|$)/i],
  ["connect", /^application\/(?:json|proto)(?:;|$)/i],
];

/** What tells the protocol of a request. */
export interface ProtocolHints {
  readonly method: string;
  readonly contentType: string | undefined;
  /** True if the path names an RPC of the service. */
  readonly knownPath: boolean;
}

/** Finds the RPC protocol of a request. Undefined if it is not an RPC. */
export function requestProtocol({
  method,
  contentType,
  knownPath,
}: ProtocolHints): RequestProtocol | undefined {
  if (method === "GET") return knownPath ? "connect" : undefined;
  if (method !== "POST") return undefined;
  return patterns.find(([, pattern]) => pattern.test(contentType ?? ""))?.[0];
}
