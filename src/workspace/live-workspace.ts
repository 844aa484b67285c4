import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { Sandbox, SandboxProvider } from "../sandbox/provider.js";
import { AgentFiles } from "./agent-files.js";
import { AgentProcesses } from "./agent-processes.js";
import { SandboxWatch } from "./sandbox-watch.js";
import type { Workspace, WorkspaceFiles, WorkspaceProcesses } from "./workspace.js";

/** A workspace whose agent answers. Once the channel to the agent is lost it stays lost. */
export class LiveWorkspace implements Workspace {
  readonly generation: number;
  readonly root: string;
  readonly files: WorkspaceFiles;
  readonly processes: WorkspaceProcesses;
  readonly sandbox: Sandbox;
  readonly #client: AgentClient;
  readonly #notices: string[];
  #lost = false;

  constructor(options: {
    sandbox: Sandbox;
    root: string;
    client: AgentClient;
    provider: SandboxProvider;
    /** Shared by the workspaces of a project, one after the other; told once. */
    notices: string[];
  }) {
    const { sandbox, root, client, provider, notices } = options;
    this.sandbox = sandbox;
    this.generation = sandbox.generation;
    this.root = root;
    this.#client = client;
    this.#notices = notices;
    const watch = new SandboxWatch({ provider, sandbox, client });
    this.files = new AgentFiles(client, watch);
    this.processes = new AgentProcesses(client, watch);
    void client.closed.then(() => {
      this.#lost = true;
    });
  }

  /** True once the channel to the agent is lost. */
  get lost(): boolean {
    return this.#lost;
  }

  takeNotices(): readonly string[] {
    return this.#notices.splice(0);
  }

  /** Ends the agent and every process of it. */
  close(): void {
    this.#lost = true;
    this.#client.close();
  }
}
