import type { KnownAddress } from "./address.js";
import type { Host } from "./host.js";
import { OutsideError } from "./outside-error.js";
import { matchesAddress, matchesHost, touchesAddress } from "./outside-rule.js";
import type { OutsideRule } from "./outside-rule.js";

/** The rules of a policy. */
export interface OutsideRules {
  /** What may be reached. Empty: everything public. */
  readonly allow: readonly OutsideRule[];
  /** What may not be reached, whatever is allowed. */
  readonly deny: readonly OutsideRule[];
  /** Addresses that are not public and may be reached all the same. Host names in it have no effect. */
  readonly allowPrivate: readonly OutsideRule[];
}

/**
 * Decides what may be reached. An address that is not public is reachable only if a rule of `allowPrivate` names the address
 * itself: no rule about a name opens it, since the name's owner chooses what it resolves to.
 */
export class OutsidePolicy {
  readonly #rules: OutsideRules;

  constructor(rules: OutsideRules) {
    this.#rules = rules;
  }

  /** Judges what can be known before the name is resolved, so that refused names are not looked up. Throws OutsideError. */
  checkHost(host: Host, port: number): void {
    const { allow, deny } = this.#rules;
    const denied = deny.find((rule) => matchesHost(rule, host, port));
    if (denied !== undefined) throw deniedBy(denied, host.name, port);
    const mayMatch = (rule: OutsideRule): boolean =>
      matchesHost(rule, host, port) ||
      (rule.target.kind === "network" && (rule.port === undefined || rule.port === port));
    if (allow.length > 0 && !allow.some(mayMatch)) throw notAllowed(host.name, port);
  }

  /** Judges every address of a host; one that is refused refuses all. Throws OutsideError. */
  checkAddresses(host: Host, port: number, addresses: readonly KnownAddress[]): void {
    this.checkHost(host, port);
    for (const address of addresses) this.#checkAddress(host, port, address);
  }

  #checkAddress(host: Host, port: number, known: KnownAddress): void {
    const { allow, deny, allowPrivate } = this.#rules;
    const { address, kind, text } = known;
    const denied = deny.find((rule) => touchesAddress(rule, known, port));
    if (denied !== undefined) throw deniedBy(denied, host.name, port);
    if (kind !== "public" && !allowPrivate.some((rule) => matchesAddress(rule, address, port))) {
      const is =
        host.address === undefined ? "resolves to an address that is not public" : "is not a public address";
      throw new OutsideError("outside.refused", `${host.name} ${is} (${kind})`, { address: text });
    }
    const isAllowed = (rule: OutsideRule): boolean =>
      matchesHost(rule, host, port) || matchesAddress(rule, address, port);
    if (allow.length > 0 && !allow.some(isAllowed)) throw notAllowed(host.name, port);
  }
}

function deniedBy(rule: OutsideRule, name: string, port: number): OutsideError {
  return new OutsideError("outside.refused", `${name}:${port} is denied by the rule ${rule.text}`);
}

function notAllowed(name: string, port: number): OutsideError {
  return new OutsideError("outside.refused", `${name}:${port} is not among the hosts that are allowed`);
}
