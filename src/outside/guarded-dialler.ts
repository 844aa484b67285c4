import type { Socket } from "node:net";
import { knownAddress } from "./address.js";
import type { KnownAddress } from "./address.js";
import { connectFirst } from "./connect-first.js";
import { startDeadline } from "./deadline.js";
import { readHost } from "./host.js";
import type { Host } from "./host.js";
import { OutsideError } from "./outside-error.js";
import type { OutsidePolicy } from "./outside-policy.js";
import type { ResolveHost } from "./resolve-host.js";

/** A connection that is wanted. */
export interface DialOptions {
  /** A name, or an address in any spelling. */
  readonly host: string;
  /** From 1 to 65535. */
  readonly port: number;
  /** Longest time for name and connection together, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connects to the outside. Throws OutsideError, or the reason of the signal. The socket's two directions end by themselves. */
export type GuardedDialler = (options: DialOptions) => Promise<Socket>;

/**
 * Makes the one way to open a connection to the outside. A name is resolved once, every address of the answer is judged, and
 * what was judged is what is dialled: a name that changes its address meanwhile gains nothing.
 */
export function createGuardedDialler(parts: { policy: OutsidePolicy; resolve: ResolveHost }): GuardedDialler {
  const { policy, resolve } = parts;
  return async ({ host: text, port, timeoutMs, signal }) => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new OutsideError("outside.invalid", `port ${port} is not from 1 to 65535`);
    const host = readHost(text);
    policy.checkHost(host, port);
    const deadline = startDeadline({ timeoutMs, signal, what: `connecting to ${host.name}:${port}` });
    try {
      const known =
        host.address === undefined ? await addressesOf(host, resolve, deadline.signal) : [host.address];
      policy.checkAddresses(host, port, known);
      const addresses = known.map((address) => address.text);
      return await connectFirst({ addresses, port, name: host.name, signal: deadline.signal });
    } finally {
      deadline.clear();
    }
  };
}

async function addressesOf(host: Host, resolve: ResolveHost, signal: AbortSignal): Promise<KnownAddress[]> {
  const answers = await resolve(host.name, signal);
  return answers.map((answer) => {
    const known = knownAddress(answer);
    if (known !== undefined) return known;
    throw new OutsideError("outside.refused", `${host.name} resolves to something that is no address`);
  });
}
