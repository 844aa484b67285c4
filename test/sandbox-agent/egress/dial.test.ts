import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { dialPort } from "../../../src/workspace/dial-port.js";
import { localServer, never } from "../../outside/local-servers.js";
import { agentWithProxy, tcpServer } from "./egress-fixture.js";

describe("a connection to a port of the sandbox", () => {
  it("reaches a server there", async () => {
    const port = await localServer((_request, response) => response.end("inside"));
    const { agent } = await agentWithProxy();
    const stream = await dialPort(agent.client, { port, signal: never });
    stream.end("GET / HTTP/1.0\r\n\r\n");
    expect(await text(stream)).toContain("inside");
  });

  it("reaches a server that listens on IPv6 alone", async () => {
    const port = await localServer((_request, response) => response.end("six"), "::1");
    const { agent } = await agentWithProxy();
    const stream = await dialPort(agent.client, { port, signal: never });
    stream.end("GET / HTTP/1.0\r\n\r\n");
    expect(await text(stream)).toContain("six");
  });

  it("says that nothing listens", async () => {
    const { port, server } = await tcpServer(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const { agent } = await agentWithProxy();
    await expect(dialPort(agent.client, { port, signal: never })).rejects.toMatchObject({
      name: "PortClosed",
      message: `nothing in the sandbox listens on port ${port}`,
    });
  });

  it("ends at the server when it is destroyed, or its signal is aborted", async () => {
    let ended = 0;
    const { port } = await tcpServer((socket) => void socket.resume().once("close", () => (ended += 1)));
    const { agent } = await agentWithProxy();
    const leaving = new AbortController();
    const one = await dialPort(agent.client, { port, signal: never });
    const two = await dialPort(agent.client, { port, signal: leaving.signal });
    one.destroy();
    await expect.poll(() => ended).toBe(1);
    leaving.abort(new Error("left"));
    await expect.poll(() => [ended, two.destroyed]).toEqual([2, true]);
  });

  it("breaks off when the agent ends", async () => {
    const { port } = await tcpServer(() => undefined);
    const { agent } = await agentWithProxy();
    const stream = await dialPort(agent.client, { port, signal: never });
    agent.process.kill("SIGKILL");
    await expect(text(stream)).rejects.toThrow("the connection broke off");
  });
});
