import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AgentService } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { diallerTo, neverResolves } from "../../outside/local-servers.js";
import {
  agentWithProxy,
  connectThrough,
  connectTo,
  egressForTest,
  readAll,
  tcpServer,
  untilClosed,
} from "./egress-fixture.js";

const open = ["127.0.0.1"];
const established = "HTTP/1.1 200 Connection Established\r\n\r\n";
const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe("CONNECT to the proxy of the agent", () => {
  it("carries bytes both ways, and the end of each way by itself", async () => {
    const { port } = await tcpServer((socket) => {
      void readAll(socket).then((heard) => socket.end(`heard ${heard.toString()}`));
    });
    const { proxyPort, counters, log } = await egressForTest(open);
    const { socket, answer } = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    expect(answer).toBe(established);
    socket.end("ping");
    expect(String(await readAll(socket))).toBe("heard ping");
    await expect
      .poll(() => counters.totals())
      .toEqual({ allowed: 1, refused: {}, open: 0, bytesUp: 4, bytesDown: 10 });
    expect(log).toEqual([
      {
        message: "egress connection ended",
        fields: expect.objectContaining({
          ...{
            tenant: "t",
            project: "p",
            host: "127.0.0.1",
            port,
            bytes_up: 4,
            bytes_down: 10,
            outcome: "ended",
          },
        }) as unknown,
      },
    ]);
  });

  it("carries 16 MiB each way without a change", async () => {
    const { port } = await tcpServer((socket) => void socket.pipe(socket));
    const { proxyPort } = await egressForTest(open);
    const { socket } = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    const bytes = randomBytes(16 * 1024 * 1024);
    socket.end(bytes);
    expect(sha(await readAll(socket))).toBe(sha(bytes));
  });

  it("leaves the channel free while many downloads and uploads stall", async () => {
    const { port } = await tcpServer((socket) => {
      socket.pause();
      socket.write(Buffer.alloc(8 * 1024 * 1024));
    });
    const { proxyPort, agent } = await egressForTest(open);
    for (let count = 0; count < 20; count += 1) {
      const { socket } = await connectThrough(proxyPort, `127.0.0.1:${port}`);
      socket.pause();
      socket.write(Buffer.alloc(8 * 1024 * 1024));
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    const startedAt = performance.now();
    await agent.call(AgentService.method.hello, {});
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it("refuses with the reason in status line, header and body", async () => {
    const { proxyPort, counters } = await egressForTest([]);
    const { answer } = await connectThrough(proxyPort, "127.0.0.1:80");
    const reason = "127.0.0.1 is not a public address (loopback)";
    expect(answer).toContain(`HTTP/1.1 403 Forbidden: ${reason}\r\n`);
    expect(answer).toContain(`X-Handrail-Egress: ${reason}\r\n`);
    expect(counters.totals().refused).toEqual({ "outside.refused": 1 });
  });

  it("answers 502 where nobody listens, and 504 where nobody answers in time", async () => {
    const { port, server } = await tcpServer(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const refused = await egressForTest(open);
    expect((await connectThrough(refused.proxyPort, `127.0.0.1:${port}`)).answer).toMatch(
      /^HTTP\/1.1 502 .*was refused\r\n/,
    );
    const slow = await egressForTest(open, { connectMs: 50, dial: diallerTo([], neverResolves) });
    const { answer } = await connectThrough(slow.proxyPort, "slow.example:80");
    expect(answer).toMatch(/^HTTP\/1.1 504 .*slow.example:80 took longer than 50 ms\r\n/);
  });

  it("refuses a connection beyond the limit of the project, and allows the next when one has ended", async () => {
    const { port } = await tcpServer((socket) => void socket.pipe(socket));
    const { proxyPort, egress } = await egressForTest(open, { maxConnections: 2 });
    const first = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    await connectThrough(proxyPort, `127.0.0.1:${port}`);
    const third = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    expect(third.answer).toMatch(/^HTTP\/1.1 503 .*the project has 2 connections to the outside/);
    first.socket.destroy();
    await expect.poll(() => egress.openConnections).toBe(1);
    expect((await connectThrough(proxyPort, `127.0.0.1:${port}`)).answer).toBe(established);
  });

  it("ends a connection on which nothing moves", async () => {
    const { port } = await tcpServer(() => undefined);
    const { proxyPort, log } = await egressForTest(open, { idleMs: 200 });
    const { socket } = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    await untilClosed(socket);
    await expect.poll(() => log[0]?.fields["outcome"]).toBe("nothing was sent or received for 200 ms");
  });

  it("ends the connection outside when the program's breaks off, and the reverse", async () => {
    const closed: string[] = [];
    const { port } = await tcpServer((socket) => {
      socket.once("close", () => closed.push("outside"));
      socket.once("data", () => socket.resetAndDestroy());
      socket.resume();
    });
    const { proxyPort } = await egressForTest(open);
    const one = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    one.socket.resetAndDestroy();
    await expect.poll(() => closed).toEqual(["outside"]);
    const two = await connectThrough(proxyPort, `127.0.0.1:${port}`);
    two.socket.write("x");
    await untilClosed(two.socket);
  });

  it("ends all connections outside with the channel", async () => {
    let ended = 0;
    const { port } = await tcpServer((socket) => void socket.resume().once("close", () => (ended += 1)));
    const { proxyPort, agent, egress } = await egressForTest(open);
    for (let count = 0; count < 3; count += 1) await connectThrough(proxyPort, `127.0.0.1:${port}`);
    agent.client.close();
    await expect.poll(() => [ended, egress.openConnections]).toEqual([3, 0]);
  });

  it("refuses with 503 while nobody watches", async () => {
    const { proxyPort } = await agentWithProxy();
    const { answer } = await connectThrough(proxyPort, "example.com:443");
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
  });

  it("answers 400 to what is no target", async () => {
    const { proxyPort } = await agentWithProxy();
    for (const authority of [
      "example.com",
      "example.com:0",
      "example.com:70000",
      ":80",
      "user@example.com:80",
    ]) {
      const socket = await connectTo(proxyPort);
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(String(await readAll(socket))).toMatch(/^HTTP\/1.1 400 /);
    }
  });

  it("takes a free port if the wished one is taken", async () => {
    const { port } = await tcpServer(() => undefined);
    const { proxyPort } = await agentWithProxy(port);
    expect(proxyPort).not.toBe(port);
  });
});
