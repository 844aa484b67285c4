import { createContextKey } from "@connectrpc/connect";

import type { Principal } from "../domain/principal.js";

/** The connection that a request came by. */
export interface TransportInfo {
  /** HTTP/1.1 or HTTP/2. */
  readonly protocol: "h1" | "h2";
  /** Address of the peer. Empty if it had gone before the request was read. */
  readonly remoteAddress: string;
  /**
   * True once the whole connection is gone. When the signal of a request aborts and this is false, the client took back
   * this one request and keeps the connection. Over HTTP/1.1 a client can only do so by closing the connection.
   */
  disconnected(): boolean;
}

/** Context value: who calls. Undefined for the RPCs that need no credentials, such as health checks. */
export const kPrincipal = createContextKey<Principal | undefined>(undefined, { description: "principal" });

/** Context value: the connection that the request came by. Undefined for calls made inside the service. */
export const kTransport = createContextKey<TransportInfo | undefined>(undefined, {
  description: "transport",
});
