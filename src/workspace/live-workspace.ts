import type { Duplex } from "node:stream";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { ChannelLost } from "../sandbox/channel/agent-client.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { Sandbox, SandboxProvider } from "../sandbox/provider.js";
import { Activity, countedClient } from "./activity.js";
import { AgentFiles } from "./agent-files.js";
import { AgentProcesses } from "./agent-processes.js";
import { dialPort } from "./dial-port.js";
import { Egress } from "./egress.js";
import type { EgressGate } from "./egress-gate.js";
import { SandboxWatch } from "./sandbox-watch.js";
import type { Workspace, WorkspaceFiles, WorkspaceProcesses } from "./workspace.js";

/** A workspace whose agent answers. Once the channel to the agent is lost it stays lost. */
export class LiveWorkspace implements Workspace {
  readonly generation: number;
  readonly root: string;
  readonly home: string;
  readonly files: WorkspaceFiles;
  readonly processes: WorkspaceProcesses;
  readonly sandbox: Sandbox;
  /** What calls ask of the agent. */
  readonly activity = new Activity();
  readonly #client: AgentClient;
  readonly #notices: string[];
  readonly #watch: SandboxWatch;
  readonly #egress: Egress | undefined;
  #dialled = 0;
  #lost = false;

  constructor(options: {
    sandbox: Sandbox;
    root: string;
    client: AgentClient;
    provider: SandboxProvider;
    /** Shared by the workspaces of a project, one after the other; told once. */
    notices: string[];
    /** The way to the outside. Default: none. */
    gate?: EgressGate | undefined;
  }) {
    const { sandbox, root, client, provider, notices, gate } = options;
    this.sandbox = sandbox;
    this.generation = sandbox.generation;
    this.root = root;
    this.home = provider.paths(sandbox.key).home;
    this.#client = client;
    this.#notices = notices;
    const watch = new SandboxWatch({ provider, sandbox, client });
    const counted = countedClient(client, this.activity);
    this.files = new AgentFiles(counted, watch);
    this.processes = new AgentProcesses(counted, watch);
    this.#watch = watch;
    if (gate !== undefined) this.#egress = new Egress({ client, key: sandbox.key, gate });
    void client.closed.then(() => {
      this.#lost = true;
    });
  }

  /** True once the channel to the agent is lost. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Connections to the outside and to ports of the sandbox that are open. */
  get openConnections(): number {
    return this.#dialled + (this.#egress?.openConnections ?? 0);
  }

  async dial(port: number, signal: AbortSignal): Promise<Duplex> {
    try {
      const stream = await dialPort(this.#client, { port, signal });
      this.#dialled += 1;
      stream.once("close", () => (this.#dialled -= 1));
      return stream;
    } catch (error) {
      throw await this.#watch.nameLoss(error, "no");
    }
  }

  /** Runs with a living process, also those that were left in the background; 0 if the agent is lost. */
  async livingRuns(signal: AbortSignal): Promise<number> {
    return (await this.#hello(signal)).livingRuns;
  }

  async leftRuns(signal: AbortSignal): Promise<number> {
    return (await this.#hello(signal)).leftRuns;
  }

  takeNotices(): readonly string[] {
    return this.#notices.splice(0);
  }

  /** Ends the agent and every process of it. */
  close(): void {
    this.#lost = true;
    this.#client.close();
  }

  async #hello(signal: AbortSignal): Promise<{ livingRuns: number; leftRuns: number }> {
    try {
      return await this.#client.call(AgentService.method.hello, {}, { signal });
    } catch (error) {
      if (error instanceof ChannelLost) return { livingRuns: 0, leftRuns: 0 };
      throw error;
    }
  }
}
