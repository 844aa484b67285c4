import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Modules that can open a connection. A type import opens none. */
const OPENERS =
  /^(?:node:)?(?:net|tls|http|https|http2|dgram|dns|dns\/promises|inspector|undici|dockerode|@connectrpc\/connect-node|ws|ioredis|pg)$/;

/** Values of these modules that open nothing. */
const HARMLESS = new Set([
  ...["constants", "STATUS_CODES", "isIP", "isIPv4", "isIPv6", "BlockList"],
  ...[
    "createServer",
    "createSecureServer",
    "performServerHandshake",
    "Server",
    "Socket",
    "universalRequestFromNodeRequest",
  ],
]);

/** Files and folders outside src/outside that may import what opens connections, and why that is no way to the outside. */
const REASONS: Readonly<Record<string, string>> = {
  "src/sandbox/channel/create-agent-client.ts": "HTTP/2 over the pipe to an agent that it is given",
  "src/sandbox/docker/provider.ts": "the socket of the Docker engine",
  "src/sandbox-agent/supervise/supervisor-link.ts": "a socket file of the launcher in the sandbox",
  "src/sandbox-agent/egress/dial-handler.ts": "ports of the sandbox's own loopback",
  "src/sandbox-agent/egress/forward-request.ts": "HTTP over a tunnel that the service has judged",
  "src/cli/": "the command line speaks to the service that its user names",
};

/** Names of values that a file imports from modules that can open connections, as `module name`. */
function openersIn(source: string): string[] {
  const imports = [...source.matchAll(/^import (?!type )([^;]*?) from "([^"]+)";/gms)];
  const lazy = [...source.matchAll(/\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]\s*\)/g)];
  return [
    ...imports.flatMap(([, clause = "", module = ""]) =>
      OPENERS.test(module) ? valuesOf(clause).map((name) => `${module} ${name}`) : [],
    ),
    ...lazy.flatMap(([, module = ""]) => (OPENERS.test(module) ? [`${module} *`] : [])),
  ];
}

function valuesOf(clause: string): string[] {
  const [, named] = /^\{([^}]*)\}$/s.exec(clause.trim()) ?? [];
  if (named === undefined) return [clause.trim()];
  const names = named.split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(" as ")[0] ?? name)
    .filter((name) => !HARMLESS.has(name));
}

describe("connections to the outside", () => {
  it("are opened by src/outside alone, but for files with a reason", async () => {
    const entries = await readdir("src", { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of entries.filter(({ name }) => name.endsWith(".ts"))) {
      const path = join(entry.parentPath, entry.name);
      if (path.startsWith("src/outside/")) continue;
      const source = await readFile(path, "utf8");
      const opens =
        openersIn(source).length > 0 ||
        /(?<![.\w"'`])fetch\(|new (?:WebSocket|EventSource|Socket)\(/.test(source);
      if (opens) found.push(Object.keys(REASONS).find((place) => path.startsWith(place)) ?? path);
    }
    expect([...new Set(found)].sort()).toEqual(Object.keys(REASONS).sort());
  });

  it("are seen in each way of writing an import", () => {
    expect(
      openersIn('import net from "node:net";\nimport { request as r, type Agent } from "http";'),
    ).toEqual(["node:net net", "http request"]);
    expect(openersIn('const x = await import("undici");')).toEqual(["undici *"]);
    expect(
      openersIn('import type { Socket } from "node:net";\nimport { STATUS_CODES } from "node:http";'),
    ).toEqual([]);
  });
});
