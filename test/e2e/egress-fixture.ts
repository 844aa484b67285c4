import { execFile } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** The npm registry that this machine uses, and a rule that lets sandboxes reach it wherever it is. */
export async function registry(): Promise<{ url: string; host: string; rule: string }> {
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"]);
  const { hostname, href } = new URL(stdout.trim());
  const { address } = await lookup(hostname, { family: 4 });
  return { url: href, host: hostname, rule: address };
}

/** A server of the host, closed with the test, that counts connections. */
export async function hostServer(host: string): Promise<{ port: number; visits: () => number }> {
  let visits = 0;
  const server = createServer((_request, response) => response.end("reached"));
  server.on("connection", () => (visits += 1));
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

/** What a shell command prints on this machine, outside any sandbox. */
export async function onHost(command: string): Promise<string> {
  return (await promisify(execFile)("bash", ["-c", command])).stdout;
}

/** A shell command that prints `open` if it can connect without the proxy, else `closed`. */
export function rawProbe(host: string, port: number): string {
  const script =
    `import socket\ntry:\n socket.create_connection(("${host}", ${port}), 2); print("open")\n` +
    `except OSError: print("closed")`;
  return `python3 -c '${script}'`;
}

/** A shell command that prints the status with which the proxy answers a CONNECT, `-` if none. */
export function proxyProbe(host: string, port: number): string {
  const authority = host.includes(":") ? `[${host}]` : host;
  const script =
    `import socket, os, urllib.parse\nu = urllib.parse.urlparse(os.environ["HTTPS_PROXY"])\n` +
    `s = socket.create_connection((u.hostname, u.port), 5)\n` +
    `s.sendall(b"CONNECT ${authority}:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")\n` +
    `print(s.recv(1000).split(b" ")[1].decode())`;
  return `python3 -c '${script}'`;
}
