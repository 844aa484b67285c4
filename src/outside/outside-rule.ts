import ipaddr from "ipaddr.js";
import type { Address, KnownAddress } from "./address.js";
import { readHost } from "./host.js";
import type { Host } from "./host.js";

/** A rule about the outside: hosts or addresses, and maybe a port. */
export interface OutsideRule {
  /** The rule as it was written. */
  readonly text: string;
  /** Undefined: every port. */
  readonly port: number | undefined;
  readonly target:
    | { readonly kind: "host"; readonly name: string }
    | { readonly kind: "below"; readonly suffix: string }
    | { readonly kind: "network"; readonly network: [Address, number] };
}

/** Reads `host`, `*.host`, an address or a CIDR, each with optional `:port`; IPv6 with a port stands in brackets. Throws RangeError. */
export function parseOutsideRule(text: string): OutsideRule {
  const [, bracketed, plain, digits] =
    /^(?:\[([^\]]+)\]|([^[\]:]+|[^[\]]*:[^[\]]*:[^[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const place = bracketed ?? plain;
  const port = digits === undefined ? undefined : Number(digits);
  if (place === undefined || (port !== undefined && (port < 1 || port > 65_535))) throw malformed(text);
  return { text, port, target: parseTarget(place, text) };
}

/** True if the rule is about this host by its name. */
export function matchesHost({ target, port }: OutsideRule, host: Host, toPort: number): boolean {
  if (port !== undefined && port !== toPort) return false;
  if (target.kind === "host") return target.name === host.name;
  return (
    target.kind === "below" && host.name.endsWith(target.suffix) && host.name.length > target.suffix.length
  );
}

/** True if the rule is about this address. */
export function matchesAddress({ target, port }: OutsideRule, address: Address, toPort: number): boolean {
  if (target.kind !== "network" || (port !== undefined && port !== toPort)) return false;
  const [base, bits] = target.network;
  if (base.kind() !== address.kind()) return false;
  return address.match(base, bits);
}

/** True if the rule is about this address or the one inside it. */
export function touchesAddress(
  rule: OutsideRule,
  { address, embedded }: KnownAddress,
  toPort: number,
): boolean {
  if (matchesAddress(rule, address, toPort)) return true;
  return embedded !== undefined && matchesAddress(rule, embedded, toPort);
}

function parseTarget(place: string, text: string): OutsideRule["target"] {
  if (ipaddr.isValidCIDR(place)) return { kind: "network", network: ipaddr.parseCIDR(place) };
  if (place.includes("/")) throw malformed(text);
  const isBelow = place.startsWith("*.");
  const name = isBelow ? place.slice(2) : place;
  if (name.includes("*")) throw malformed(text);
  let host: Host;
  try {
    host = readHost(name);
  } catch (cause) {
    throw malformed(text, cause);
  }
  if (isBelow) return { kind: "below", suffix: `.${host.name}` };
  if (host.address === undefined) return { kind: "host", name: host.name };
  const { address } = host.address;
  return { kind: "network", network: [address, address.kind() === "ipv4" ? 32 : 128] };
}

function malformed(text: string, cause?: unknown): RangeError {
  return new RangeError(
    `${JSON.stringify(text.slice(0, 100))} is no rule: write a host, *.host, an address or a CIDR, with :port or without`,
    { cause },
  );
}
