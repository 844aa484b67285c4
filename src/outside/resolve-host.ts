import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { OutsideError } from "./outside-error.js";

/** Finds the addresses of a name, IPv4 first. Throws OutsideError `outside.not_found`, or the reason of the signal. */
export type ResolveHost = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Options of createResolveHost. */
export interface ResolveHostOptions {
  /** The file of fixed names. Default `/etc/hosts`. */
  readonly hostsPath?: string;
  /** Servers to ask, such as `192.0.2.1:53`. Default: those of the system. */
  readonly servers?: readonly string[];
}

/**
 * Makes a resolver that looks into the hosts file, then asks the name servers itself. It takes no thread of Node's pool, so
 * that slow names hold up no file of the service.
 */
export function createResolveHost({
  hostsPath = "/etc/hosts",
  servers,
}: ResolveHostOptions = {}): ResolveHost {
  return async (name, signal) => {
    signal.throwIfAborted();
    const fixed = addressesIn(await readHosts(hostsPath), name);
    if (fixed.length > 0) return fixed;
    const resolver = new Resolver({ timeout: 3000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const onAbort = (): void => resolver.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      signal.throwIfAborted();
      const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      if (found.length > 0) return found;
      throw notFound(name, answers);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  };
}

async function readHosts(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function addressesIn(hosts: string, name: string): string[] {
  const rows = hosts.split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  const found = rows.flatMap(([address = "", ...names]) =>
    names.some((known) => known.toLowerCase() === name) ? [address] : [],
  );
  return found.sort((one, other) => Number(one.includes(":")) - Number(other.includes(":")));
}

function notFound(name: string, answers: readonly PromiseSettledResult<unknown>[]): OutsideError {
  const [first] = answers;
  const cause: unknown = first?.status === "rejected" ? first.reason : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer";
  return new OutsideError("outside.not_found", `the name ${name} has no address (${code})`, { cause });
}
