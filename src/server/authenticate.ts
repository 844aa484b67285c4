import { createHash, timingSafeEqual } from "node:crypto";

import type { Principal } from "../domain/principal.js";
import type { RequestHeaders } from "./node-exchange.js";

/** Finds who calls, from the headers of a request alone. */
export interface Authenticate {
  /** The caller, undefined if the headers carry no valid credentials. */
  (headers: RequestHeaders): Principal | undefined;
  /** True if it lets everyone in, so that the server refuses to listen anywhere but on loopback. */
  readonly loopbackOnly?: boolean;
}

/** A token that opens the service. */
export interface BearerToken {
  /** SHA-256 of the token, 32 bytes, from hashToken. The token itself is kept nowhere. */
  readonly sha256: Buffer;
  /** Who calls with it. */
  readonly principal: Principal;
}

/** Tenant of everyone where no credentials are asked for. */
export const localTenant = "local";

/** The hash by which bearerTokens knows a token. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Lets everyone in, with all rights, as tenant `local`. For loopback listeners only. */
export function anonymous(): Authenticate {
  const principal: Principal = { tenant: localTenant, rights: new Set(["execute", "respond", "manage"]) };
  return Object.assign(() => principal, { loopbackOnly: true });
}

/**
 * Lets in who sends `authorization: Bearer` with one of the tokens. Every entry is compared, each in constant time.
 * Throws a RangeError for a hash that is not 32 bytes long.
 */
export function bearerTokens(entries: readonly BearerToken[]): Authenticate {
  for (const { sha256 } of entries) {
    if (sha256.length !== 32) throw new RangeError(`a token hash has 32 bytes, not ${sha256.length}`);
  }
  return (headers) => {
    const { authorization } = headers;
    const token = typeof authorization === "string" ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
    if (token === undefined) return undefined;
    const sent = hashToken(token);
    let found: Principal | undefined;
    for (const { sha256, principal } of entries) {
      if (timingSafeEqual(sha256, sent)) found = principal;
    }
    return found;
  };
}
