import type { Socket } from "node:net";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { WatchDialsResponse } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { OutsideError } from "../outside/outside-error.js";
import type { AgentClient, AgentStream } from "../sandbox/channel/agent-client.js";
import { joinStreams } from "../sandbox/channel/join-streams.js";
import { Tunnel } from "../sandbox/channel/tunnel.js";
import type { EgressGate } from "./egress-gate.js";
import { egressRefusal } from "./egress-refusal.js";
import type { EgressRefusal } from "./egress-refusal.js";

/** What one connection needs. */
export interface EgressConnectionOptions {
  readonly client: AgentClient;
  readonly gate: EgressGate;
  readonly wanted: Pick<WatchDialsResponse, "dialId" | "host" | "port">;
  /** Fields of its line in the log. */
  readonly fields: object;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Makes the connection that a program asks for and carries it to its end, or refuses it. Never rejects. */
export async function serveEgressConnection(options: EgressConnectionOptions): Promise<void> {
  const { gate, wanted, signal } = options;
  const { host, port } = wanted;
  const startedAt = performance.now();
  let socket: Socket;
  try {
    socket = await gate.dial({ host, port, timeoutMs: gate.connectMs, signal });
  } catch (error) {
    if (!signal.aborted) await refuseEgress(options, egressRefusal(error), error);
    return;
  }
  gate.counters.countAllowed();
  const failure = await carry(options, socket);
  const bytes = { bytesUp: socket.bytesWritten, bytesDown: socket.bytesRead };
  gate.counters.countEnded(bytes);
  const ended = {
    bytes_up: bytes.bytesUp,
    bytes_down: bytes.bytesDown,
    outcome: failure?.message ?? "ended",
  };
  const elapsed_ms = Math.round(performance.now() - startedAt);
  gate.log.info({ ...options.fields, ...told(wanted), ...ended, elapsed_ms }, "egress connection ended");
}

/** Refuses a connection. Never rejects. */
export async function refuseEgress(
  options: EgressConnectionOptions,
  { code, httpStatus, reason }: EgressRefusal,
  cause?: unknown,
): Promise<void> {
  const { client, gate, wanted, signal, fields } = options;
  gate.counters.countRefused(code);
  const unforeseen = code === "egress.failed" ? { err: cause } : {};
  const address = cause instanceof OutsideError ? { address: cause.address } : {};
  gate.log.info(
    { ...fields, ...told(wanted), code, reason, ...address, ...unforeseen },
    "egress connection refused",
  );
  try {
    const stream = client.stream(AgentService.method.answerDial, { signal, onResponse: () => undefined });
    const value = { dialId: wanted.dialId, httpStatus, reason };
    await stream.send({ message: { case: "refuse", value } });
    stream.end();
    await stream.done;
  } catch (error) {
    gate.log.info({ ...fields, ...told(wanted), err: error }, "an egress refusal did not reach the sandbox");
  }
}

async function carry(
  { client, gate, wanted, signal }: EgressConnectionOptions,
  socket: Socket,
): Promise<Error | undefined> {
  const { idleMs } = gate;
  const tunnel = new Tunnel({ send: (message) => stream?.send({ message }) });
  const joined = joinStreams(tunnel, socket);
  socket.setTimeout(idleMs, () =>
    socket.destroy(new OutsideError("outside.timeout", `nothing was sent or received for ${idleMs} ms`)),
  );
  let stream: AgentStream<typeof AgentService.method.answerDial> | undefined;
  try {
    stream = client.stream(AgentService.method.answerDial, {
      signal,
      onResponse: ({ message }) => {
        if (message.case !== undefined) tunnel.receive(message);
      },
    });
    void stream.done.then(
      () => tunnel.lose(),
      (error: unknown) => tunnel.lose(error),
    );
    void stream.send({ message: { case: "accept", value: { dialId: wanted.dialId } } });
  } catch (error) {
    tunnel.lose(error);
  }
  const failure = await joined;
  stream?.end();
  return failure;
}

function told({ host, port }: { host: string; port: number }): object {
  return { host: host.slice(0, 255), port };
}
