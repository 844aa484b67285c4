import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { Egress } from "../../../src/workspace/egress.js";
import { EgressCounters } from "../../../src/workspace/egress-counters.js";
import type { EgressGate } from "../../../src/workspace/egress-gate.js";
import { diallerTo } from "../../outside/local-servers.js";
import { buildParts, TestAgent } from "../test-agent.js";

/** A line of the log. */
export interface LogLine {
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** An agent with its proxy, and the service's end of it. */
export interface EgressUnderTest {
  readonly agent: TestAgent;
  readonly egress: Egress;
  readonly counters: EgressCounters;
  readonly log: LogLine[];
  readonly proxyPort: number;
}

let parts: ReturnType<typeof buildParts> | undefined;

/** Boots an agent with a proxy, ended with the test. */
export async function agentWithProxy(proxyPort = 0): Promise<{ agent: TestAgent; proxyPort: number }> {
  const agent = TestAgent.boot({ parts: await (parts ??= buildParts()), config: { proxyPort } });
  onTestFinished(() => agent.stop());
  const run = agent.run("echo $HTTP_PROXY");
  await run.done();
  return { agent, proxyPort: Number(new URL(run.stdout.trim()).port) };
}

/** The same with a way to the outside, by which the addresses and networks of `open` can be reached. */
export async function egressForTest(
  open: readonly string[],
  limits: Partial<Pick<EgressGate, "maxConnections" | "connectMs" | "idleMs" | "dial">> = {},
): Promise<EgressUnderTest> {
  const { agent, proxyPort } = await agentWithProxy();
  const counters = new EgressCounters();
  const log: LogLine[] = [];
  const gate: EgressGate = {
    dial: diallerTo(open),
    counters,
    log: { info: (fields, message) => void log.push({ message, fields: { ...fields } }) },
    maxConnections: 128,
    connectMs: 2000,
    idleMs: 60_000,
    ...limits,
  };
  const egress = new Egress({ client: agent.client, key: { tenant: "t", project: "p" }, gate });
  await agent.run("true").done();
  return { agent, egress, counters, log, proxyPort };
}

/** A TCP server on the loopback, closed with the test. */
export async function tcpServer(
  onSocket: (socket: Socket) => void,
): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, server };
}

/** A connection to a port of the loopback, closed with the test. */
export async function connectTo(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Asks the proxy for a tunnel. Resolves with the connection and the head of the answer. */
export async function connectThrough(
  proxyPort: number,
  authority: string,
): Promise<{ socket: Socket; answer: string }> {
  const socket = await connectTo(proxyPort);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  let answer = "";
  while (!answer.includes("\r\n\r\n")) answer += String(((await once(socket, "data")) as [Buffer])[0]);
  return { socket, answer };
}

/** Waits until a connection is closed, however that came. */
export function untilClosed(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** All that comes until the other side ends. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "end");
  return Buffer.concat(chunks);
}
