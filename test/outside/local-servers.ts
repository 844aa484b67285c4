import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createGuardedDialler } from "../../src/outside/guarded-dialler.js";
import type { GuardedDialler } from "../../src/outside/guarded-dialler.js";
import { createGuardedFetch } from "../../src/outside/guarded-fetch.js";
import type { GuardedFetch } from "../../src/outside/guarded-fetch.js";
import { OutsidePolicy } from "../../src/outside/outside-policy.js";
import { parseOutsideRule } from "../../src/outside/outside-rule.js";
import { createResolveHost } from "../../src/outside/resolve-host.js";
import type { ResolveHost } from "../../src/outside/resolve-host.js";

/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** Resolves no name, until it is given up. */
export const neverResolves: ResolveHost = (_name, signal) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );

/** An HTTP server on an address of this machine, closed with the test. */
export async function localServer(listener: RequestListener, host = "127.0.0.1"): Promise<number> {
  const server = createServer(listener);
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A dialler that may reach the addresses and networks of `open` although they are not public. */
export function diallerTo(
  open: readonly string[],
  resolve: ResolveHost = createResolveHost(),
): GuardedDialler {
  const rules = { allow: [], deny: [], allowPrivate: open.map(parseOutsideRule) };
  return createGuardedDialler({ policy: new OutsidePolicy(rules), resolve });
}

/** A guarded fetch over such a dialler, closed with the test. */
export function fetchTo(open: readonly string[], resolve?: ResolveHost, ca?: string): GuardedFetch {
  const guardedFetch = createGuardedFetch({
    dial: diallerTo(open, resolve),
    connectMs: 1000,
    ...(ca === undefined ? {} : { ca }),
  });
  onTestFinished(() => guardedFetch.close());
  return guardedFetch;
}
