import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { localServer } from "../../outside/local-servers.js";
import { connectTo, egressForTest, readAll, tcpServer } from "./egress-fixture.js";

interface Asked {
  readonly proxyPort: number;
  readonly url: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent?: Agent;
}

async function ask({
  proxyPort,
  url,
  method = "GET",
  headers = {},
  body,
  agent,
}: Asked): Promise<IncomingMessage> {
  const sent = request({
    ...{ host: "127.0.0.1", port: proxyPort, method, path: url },
    headers: { host: new URL(url).host, ...headers },
    ...(agent !== undefined && { agent }),
  });
  sent.end(body);
  return ((await once(sent, "response")) as [IncomingMessage])[0];
}

describe("plain HTTP through the proxy of the agent", () => {
  it("passes on method, headers and body, and answers with those of the server", async () => {
    const port = await localServer((asked, reply) => {
      reply.writeHead(201, { "x-answer": "yes", "set-cookie": ["a=1", "b=2"] });
      const { host, "x-ask": ask, "proxy-authorization": secret = "none" } = asked.headers;
      reply.write(`${asked.method ?? ""} ${asked.url ?? ""} ${host ?? ""} ${String(ask)} ${secret} `);
      asked.pipe(reply);
    });
    const { proxyPort } = await egressForTest(["127.0.0.1"]);
    const reply = await ask({
      ...{ proxyPort, url: `http://127.0.0.1:${port}/a?b=c`, method: "POST", body: "body" },
      headers: { "x-ask": "please", "proxy-authorization": "Basic eA==" },
    });
    expect([reply.statusCode, reply.headers["x-answer"], reply.headers["set-cookie"]]).toEqual([
      201,
      "yes",
      ["a=1", "b=2"],
    ]);
    expect(await text(reply)).toBe(`POST /a?b=c 127.0.0.1:${port} please none body`);
  });

  it("passes on a body of unknown length, whatever the method", async () => {
    const port = await localServer((asked, reply) => void asked.pipe(reply));
    const { proxyPort } = await egressForTest(["127.0.0.1"]);
    const reply = await ask({
      ...{ proxyPort, url: `http://127.0.0.1:${port}/`, method: "DELETE", body: "body" },
      headers: { "transfer-encoding": "chunked" },
    });
    expect(await text(reply)).toBe("body");
  });

  it("serves several requests on one connection, each to its own server", async () => {
    const one = await localServer((_asked, reply) => reply.end("one"));
    const two = await localServer((_asked, reply) => reply.end("two"));
    const { proxyPort, counters } = await egressForTest(["127.0.0.1"]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const bodies: string[] = [];
    for (const port of [one, two, one])
      bodies.push(await text(await ask({ proxyPort, agent, url: `http://127.0.0.1:${port}/` })));
    expect(bodies).toEqual(["one", "two", "one"]);
    await expect.poll(() => counters.totals().allowed).toBe(3);
  });

  it("serves 300 programs, 30 at a time, and leaves nothing open", async () => {
    const port = await localServer((asked, reply) => reply.end(asked.url));
    const { proxyPort, counters, egress } = await egressForTest(["127.0.0.1"]);
    for (let round = 0; round < 10; round += 1) {
      const paths = Array.from({ length: 30 }, (_none, index) => `/${round}-${index}`);
      const bodies = paths.map(async (path) =>
        text(await ask({ proxyPort, url: `http://127.0.0.1:${port}${path}` })),
      );
      expect(await Promise.all(bodies)).toEqual(paths);
    }
    await expect.poll(() => egress.openConnections).toBe(0);
    expect(counters.totals()).toMatchObject({ allowed: 300, open: 0, refused: {} });
  });

  it("refuses with the reason as the body", async () => {
    const { proxyPort } = await egressForTest([]);
    const reply = await ask({ proxyPort, url: "http://169.254.169.254/latest/meta-data" });
    expect([reply.statusCode, await text(reply)]).toEqual([
      403,
      "handrail egress: 169.254.169.254 is not a public address (metadata)\n",
    ]);
  });

  it("answers 502 for a server that breaks off before it answers", async () => {
    const { port } = await tcpServer((socket) => socket.once("data", () => socket.destroy()));
    const { proxyPort } = await egressForTest(["127.0.0.1"]);
    expect((await ask({ proxyPort, url: `http://127.0.0.1:${port}/` })).statusCode).toBe(502);
  });

  it("breaks off where the server does, so that no part passes for the whole", async () => {
    const { port } = await tcpServer((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")),
    );
    const { proxyPort } = await egressForTest(["127.0.0.1"]);
    const reply = await ask({ proxyPort, url: `http://127.0.0.1:${port}/` });
    await expect(text(reply)).rejects.toThrow("aborted");
  });

  it("leaves the server when the program leaves", async () => {
    let left = false;
    const port = await localServer((_asked, reply) => void reply.once("close", () => (left = true)));
    const { proxyPort, egress } = await egressForTest(["127.0.0.1"]);
    const socket = await connectTo(proxyPort);
    socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => egress.openConnections).toBe(1);
    socket.destroy();
    await expect.poll(() => [left, egress.openConnections]).toEqual([true, 0]);
  });

  it("tells a request that is not for a proxy what it is", async () => {
    const { proxyPort } = await egressForTest([]);
    const socket = await connectTo(proxyPort);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(String(await readAll(socket))).toMatch(/^HTTP\/1.1 400 [^]*this is a proxy/);
  });
});
