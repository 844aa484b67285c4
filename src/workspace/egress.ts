import { setMaxListeners } from "node:events";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { WatchDialsResponse } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { ChannelLost } from "../sandbox/channel/agent-client.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { SandboxKey } from "../sandbox/provider.js";
import { refuseEgress, serveEgressConnection } from "./egress-connection.js";
import type { EgressGate } from "./egress-gate.js";
import { tooManyConnections } from "./egress-refusal.js";

/** The connections of one sandbox to the outside. They end with the channel to its agent. */
export class Egress {
  readonly #client: AgentClient;
  readonly #gate: EgressGate;
  readonly #fields: object;
  readonly #ending = new AbortController();
  #open = 0;

  /** Serves what the programs of the sandbox ask for from then on. */
  constructor(options: { client: AgentClient; key: SandboxKey; gate: EgressGate }) {
    const { client, key, gate } = options;
    this.#client = client;
    this.#gate = gate;
    setMaxListeners(0, this.#ending.signal);
    this.#fields = { tenant: key.tenant, project: key.project };
    void client.closed.then((lost) => this.#ending.abort(lost));
    void this.#watch();
  }

  /** Connections that are open or being made. */
  get openConnections(): number {
    return this.#open;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ending;
    try {
      const stream = this.#client.stream(AgentService.method.watchDials, {
        signal,
        onResponse: (wanted) => this.#serve(wanted),
      });
      await stream.send({});
      stream.end();
      await stream.done;
    } catch (error) {
      if (!signal.aborted && !(error instanceof ChannelLost))
        this.#gate.log.info(
          { ...this.#fields, err: error },
          "the sandbox has no way to the outside any more",
        );
    }
  }

  /** Resolves at once where the limit allows the connection, so that the next is heard of; else when it is refused. */
  #serve(wanted: WatchDialsResponse): void | Promise<void> {
    const { signal } = this.#ending;
    const options = { client: this.#client, gate: this.#gate, wanted, fields: this.#fields, signal };
    const { maxConnections } = this.#gate;
    if (this.#open >= maxConnections) return refuseEgress(options, tooManyConnections(maxConnections));
    this.#open += 1;
    void serveEgressConnection(options).finally(() => (this.#open -= 1));
  }
}
