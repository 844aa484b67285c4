import { isIPv4, isIPv6 } from "node:net";

const authorityPattern = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}))(?::(\d{1,5}))?$/;
const highestPort = 65_535;

/** The host of a request, in lower case, without brackets and without a dot at the end. */
export interface Authority {
  readonly host: string;
}

/** Parses a `Host` or `:authority`. Undefined if it is malformed. */
export function parseAuthority(value: string): Authority | undefined {
  const match = authorityPattern.exec(value);
  if (match?.[1] === undefined || Number(match[2] ?? 0) > highestPort) return undefined;
  const host = match[1].toLowerCase();
  if (!host.startsWith("[")) return { host: host.replace(/\.$/, "") };
  const address = host.slice(1, -1);
  return isIPv6(address) ? { host: address } : undefined;
}

/** True for the names and addresses of the machine itself. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Options of isOwnHost. */
export interface OwnHostOptions {
  /** Host of the request, from parseAuthority. */
  readonly host: string;
  /** Address on which the connection of the request arrived. */
  readonly localAddress: string | undefined;
  /** Names that the service answers to besides its addresses. `*` is any. */
  readonly allowedHosts: readonly string[];
}

/**
 * True if the service answers to the host. A web page whose name was re-bound to the address of the service sends its
 * own name, which is none of these.
 */
export function isOwnHost({ host, localAddress, allowedHosts }: OwnHostOptions): boolean {
  if (isLoopback(host) || host === localAddress?.replace(/^::ffff:/, "")) return true;
  return allowedHosts.some((allowed) => allowed === "*" || allowed.toLowerCase() === host);
}
