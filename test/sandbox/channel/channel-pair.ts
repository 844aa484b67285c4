import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentClient } from "../../../src/sandbox/channel/agent-client.js";
import type { AgentHandlers } from "../../../src/sandbox/channel/agent-handlers.js";
import { BufferedPipe } from "../../../src/sandbox/channel/buffered-pipe.js";
import { createAgentClient } from "../../../src/sandbox/channel/create-agent-client.js";
import { serveAgent } from "../../../src/sandbox/channel/serve-agent.js";
import type { ServedChannel } from "../../../src/sandbox/channel/serve-agent.js";

/** Two ends of a pipe of the operating system. */
export async function pipePair(): Promise<[Socket, Socket]> {
  const directory = mkdtempSync(join(tmpdir(), "handrail-pipe-"));
  const server = createServer({ allowHalfOpen: false });
  server.listen(join(directory, "s"));
  await once(server, "listening");
  const near = createConnection(join(directory, "s"));
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  rmSync(directory, { recursive: true });
  onTestFinished(() => {
    near.destroy();
    far.destroy();
  });
  return [near, far];
}

/** Both ends of a channel. */
export interface ChannelPair {
  readonly client: AgentClient;
  readonly served: ServedChannel;
  readonly clientPipe: Socket;
  readonly agentPipe: Socket;
  /** What was reported as an internal error. */
  readonly internal: Error[];
}

/** A channel whose agent end does what the given handlers do, and fails for the others. */
export async function channelPair(handlers: Partial<AgentHandlers>): Promise<ChannelPair> {
  const [clientPipe, agentPipe] = await pipePair();
  const internal: Error[] = [];
  const unexpected = (): Promise<never> => Promise.reject(new Error("this handler was not expected"));
  const all: AgentHandlers = {
    hello: unexpected,
    run: unexpected,
    killRun: unexpected,
    killAll: unexpected,
    readLines: unexpected,
    readBytes: unexpected,
    stat: unexpected,
    writeFile: unexpected,
    listTree: unexpected,
    watchDials: unexpected,
    answerDial: unexpected,
    dial: unexpected,
    ...handlers,
  };
  const pipe = new BufferedPipe({ input: agentPipe, output: agentPipe });
  const served = serveAgent(pipe, all, { onInternalError: (error) => internal.push(error) });
  return { client: createAgentClient(clientPipe), served, clientPipe, agentPipe, internal };
}
