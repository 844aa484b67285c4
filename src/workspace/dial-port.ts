import type { Duplex } from "node:stream";
import { AgentService, ErrorKind } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../sandbox/channel/agent-client.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import { deferred } from "../sandbox/channel/deferred.js";
import { Tunnel } from "../sandbox/channel/tunnel.js";

/** Nothing listens on a port of the sandbox. */
export class PortClosed extends Error {
  override readonly name = "PortClosed";
  readonly port: number;

  constructor(port: number, options: { cause: unknown }) {
    super(`nothing in the sandbox listens on port ${port}`, options);
    this.port = port;
  }
}

/**
 * Connects to a port of the sandbox's loopback. The signal ends the connection too. Throws PortClosed, AgentFailure,
 * ChannelLost, or the reason of the signal.
 */
export async function dialPort(
  client: AgentClient,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<Duplex> {
  const connected = deferred<void>();
  const tunnel = new Tunnel({
    send: (message) => stream.send({ message }),
    onClosed: () => stream.end(),
  });
  tunnel.on("error", () => undefined);
  const stream = client.stream(AgentService.method.dial, {
    signal,
    onResponse: ({ message }) => {
      if (message.case === "connected") connected.resolve();
      else if (message.case !== undefined) tunnel.receive(message);
    },
  });
  stream.done.then(
    () => {
      connected.reject(new Error("the agent ended a connection that it had not made"));
      tunnel.lose();
    },
    (error: unknown) => {
      connected.reject(error);
      tunnel.lose(error);
    },
  );
  try {
    await Promise.race([stream.send({ message: { case: "start", value: { port } } }), connected.promise]);
    await connected.promise;
  } catch (error) {
    tunnel.destroy();
    const isClosed = error instanceof AgentFailure && error.detail.kind === ErrorKind.NOT_FOUND;
    throw isClosed ? new PortClosed(port, { cause: error }) : error;
  }
  return tunnel;
}
