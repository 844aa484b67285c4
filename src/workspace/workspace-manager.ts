import type { Sandbox, SandboxKey, SandboxProvider } from "../sandbox/provider.js";
import { SandboxError } from "../sandbox/provider.js";
import { bootAgent } from "./boot-agent.js";
import type { AgentProgram, BootedAgent } from "./boot-agent.js";
import { LiveWorkspace } from "./live-workspace.js";
import { sandboxNotice } from "./sandbox-notice.js";
import { within } from "./within.js";
import { withSignal } from "./with-signal.js";
import type { Workspace, WorkspaceManager } from "./workspace.js";

/** Where the manager tells operators what happens to sandboxes. */
export interface WorkspaceLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Options of createWorkspaceManager. */
export interface WorkspaceManagerOptions {
  readonly provider: SandboxProvider;
  readonly assets: AgentProgram;
  readonly log: WorkspaceLog;
  /** Longest boot of an agent, in ms. Default 20,000. */
  readonly bootMs?: number;
  /** Longest making of a sandbox with its agent, in ms. Default 120,000. */
  readonly openMs?: number;
}

/** How often a sandbox is got for one opening. */
const BOOT_ATTEMPTS = 4;

/** What is known of one project. */
interface Place {
  readonly key: SandboxKey;
  readonly notices: string[];
  readonly listeners: Set<(message: string) => void>;
  /** The last sandbox; 0 before there was one. */
  generation: number;
  live: LiveWorkspace | undefined;
  flight: Promise<LiveWorkspace> | undefined;
  /** What the flight is doing. */
  phase: string;
}

/** Gives live workspaces over any provider. */
export function createWorkspaceManager(options: WorkspaceManagerOptions): WorkspaceManager {
  return new Manager(options);
}

class Manager implements WorkspaceManager {
  readonly #options: Required<WorkspaceManagerOptions>;
  readonly #places = new Map<string, Place>();
  readonly #closing = new AbortController();

  constructor(options: WorkspaceManagerOptions) {
    this.#options = { bootMs: 20_000, openMs: 120_000, ...options };
  }

  async getOrCreate(
    key: SandboxKey,
    { signal, onPhase }: { signal: AbortSignal; onPhase?: (message: string) => void },
  ): Promise<Workspace> {
    signal.throwIfAborted();
    const place = this.#place(key);
    if (place.live !== undefined && !place.live.lost) return place.live;
    if (onPhase !== undefined) {
      place.listeners.add(onPhase);
      if (place.flight !== undefined) onPhase(place.phase);
    }
    try {
      place.flight ??= this.#open(place).finally(() => {
        place.flight = undefined;
      });
      return await withSignal(place.flight, signal);
    } finally {
      if (onPhase !== undefined) place.listeners.delete(onPhase);
    }
  }

  peek(key: SandboxKey): Workspace | undefined {
    const live = this.#places.get(placeName(key))?.live;
    return live === undefined || live.lost ? undefined : live;
  }

  async close(): Promise<void> {
    this.#closing.abort(new SandboxError("internal", "the service is going down"));
    const flights = [...this.#places.values()].flatMap(({ flight }) =>
      flight === undefined ? [] : [flight],
    );
    await Promise.allSettled(flights);
    for (const place of this.#places.values()) place.live?.close();
    await this.#options.provider.close();
  }

  #place(key: SandboxKey): Place {
    const name = placeName(key);
    let place = this.#places.get(name);
    if (place === undefined) {
      place = {
        key,
        notices: [],
        listeners: new Set(),
        generation: 0,
        live: undefined,
        flight: undefined,
        phase: "getting the sandbox",
      };
      this.#places.set(name, place);
    }
    return place;
  }

  async #open(place: Place): Promise<LiveWorkspace> {
    const { provider, log, openMs } = this.#options;
    const startedAt = performance.now();
    const earlierGeneration = place.generation;
    const foundAs = place.live === undefined ? undefined : await provider.state(place.live.sandbox);
    const { sandbox, client, hello } = await within(
      {
        timeoutMs: openMs,
        signal: this.#closing.signal,
        onTimeout: () =>
          new SandboxError("not-startable", `the sandbox and its agent were not ready within ${openMs} ms`),
      },
      (signal) => this.#sandboxWithAgent(place, signal),
    );
    const { generation } = sandbox;
    const { endsWithAgent } = provider.surroundings(place.key);
    const notice = sandboxNotice({ earlierGeneration, generation, foundAs, endsWithAgent });
    if (notice !== undefined) place.notices.push(notice);
    place.live = new LiveWorkspace({
      sandbox,
      root: hello.workspaceRoot,
      client,
      provider,
      notices: place.notices,
    });
    log.info(
      {
        project: place.key.project,
        tenant: place.key.tenant,
        generation,
        created: sandbox.created,
        full_supervision: hello.fullSupervision,
        swept_processes: hello.sweptProcesses,
        elapsed_ms: Math.round(performance.now() - startedAt),
      },
      "workspace ready",
    );
    if (!hello.fullSupervision)
      log.warn({ reason: hello.reducedReason }, "processes are supervised with reduced means");
    return place.live;
  }

  /**
   * A sandbox and an agent that answers in it. One that dies meanwhile is got again; one that was found running but in
   * which no agent starts, as when its processes are used up, is replaced once.
   */
  async #sandboxWithAgent(place: Place, signal: AbortSignal): Promise<BootedAgent & { sandbox: Sandbox }> {
    const { provider, log } = this.#options;
    let mayReplace = true;
    for (let attempt = 1; ; attempt += 1) {
      tell(place, "getting the sandbox");
      const nextGeneration = place.generation + 1;
      const sandbox = await provider.getOrCreate(place.key, { nextGeneration, signal });
      place.generation = sandbox.generation;
      tell(place, "starting the agent process in the sandbox");
      try {
        return { sandbox, ...(await this.#boot(place, sandbox, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SandboxError) || attempt === BOOT_ATTEMPTS) throw error;
        const state = await provider.state(sandbox);
        if (state === "unreachable") throw error;
        if (state !== "running") continue;
        if (sandbox.created || !mayReplace) throw error;
        log.warn(
          { project: place.key.project, reason: error.message },
          "replacing a sandbox without an agent",
        );
        await provider.remove(sandbox);
        mayReplace = false;
      }
    }
  }

  async #boot(place: Place, sandbox: Sandbox, signal: AbortSignal): Promise<BootedAgent> {
    const { provider, assets, bootMs, log } = this.#options;
    const boot = () => bootAgent(sandbox, { provider, program: assets, bootMs, signal });
    const agent = await boot();
    if (agent.hello.workspaceWritable || provider.repairStorage === undefined) return agent;
    log.warn(
      { project: place.key.project },
      "the workspace is not writable for commands; repairing its storage",
    );
    agent.client.close();
    await provider.repairStorage(sandbox, signal);
    const again = await boot();
    if (again.hello.workspaceWritable) return again;
    again.client.close();
    throw new SandboxError("not-startable", "the workspace is not writable for commands", {
      hint: "Give the user of the commands the right to write to the project's storage.",
    });
  }
}

function placeName({ tenant, project }: SandboxKey): string {
  return `${tenant}\0${project}`;
}

function tell(place: Place, message: string): void {
  place.phase = message;
  for (const listener of place.listeners) listener(message);
}
