import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import { joinStreams } from "../../sandbox/channel/join-streams.js";
import { Tunnel } from "../../sandbox/channel/tunnel.js";
import { carryTunnel } from "./carry-tunnel.js";

/** Where servers of the sandbox may listen, in the order in which they are tried. */
const loopback = ["127.0.0.1", "::1"] as const;

/** Makes the handler of Dial, which connects to a server in the sandbox. */
export function createDialHandler(): AgentHandlers["dial"] {
  return async (requests, respond, { signal }) => {
    const input = requests[Symbol.asyncIterator]();
    const first = await input.next();
    const message = first.done === true ? undefined : first.value.message;
    if (message?.case !== "start") throw agentFailure(ErrorKind.INVALID, "the first request must be start");
    const socket = await connectLocally(message.value.port, signal);
    await respond({ message: { case: "connected", value: {} } });
    const tunnel = new Tunnel({ send: (sent) => respond({ message: sent }) });
    const joined = joinStreams(tunnel, socket);
    await Promise.all([carryTunnel(tunnel, input), joined]);
  };
}

async function connectLocally(port: number, signal: AbortSignal): Promise<Socket> {
  if (port < 1 || port > 65_535) throw agentFailure(ErrorKind.INVALID, `port ${port} is not from 1 to 65535`);
  for (const host of loopback) {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    try {
      await once(socket, "connect", { signal });
      return socket;
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      if (!isUnreachable(error)) throw error;
    }
  }
  throw agentFailure(ErrorKind.NOT_FOUND, `nothing in the sandbox listens on port ${port} of the loopback`);
}

function isUnreachable(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return (
    code === "ECONNREFUSED" || code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT" || code === "ENETUNREACH"
  );
}
