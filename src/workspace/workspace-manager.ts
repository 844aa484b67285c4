import type { Sandbox, SandboxKey, SandboxProvider } from "../sandbox/provider.js";
import { SandboxError } from "../sandbox/provider.js";
import { bootAgent } from "./boot-agent.js";
import type { AgentProgram, ArtifactLimits, BootedAgent, DiskLimits } from "./boot-agent.js";
import { EGRESS_PROXY_PORT } from "./egress-gate.js";
import type { EgressGate } from "./egress-gate.js";
import { IdleSweeper } from "./idle-sweeper.js";
import type { IdleLimits } from "./idle-sweeper.js";
import { lostSandbox, recallGeneration } from "./known-sandbox.js";
import type { GenerationMemory } from "./known-sandbox.js";
import { LiveWorkspace } from "./live-workspace.js";
import { Place } from "./place.js";
import { sandboxNotice } from "./sandbox-notice.js";
import { within } from "./within.js";
import { withSignal } from "./with-signal.js";
import { SandboxLost } from "./workspace.js";
import type { Workspace, WorkspaceLook, WorkspaceManager } from "./workspace.js";

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
  /** How long what nobody uses is kept. Default: as long as the service lives. */
  readonly idle?: IdleLimits;
  /** What each project may take of the disk. Default: all. */
  readonly disk?: DiskLimits;
  /** What each project keeps of long outputs. Default: 24 h and 512 MiB. */
  readonly artifacts?: ArtifactLimits;
  /** Remembers the number of each project's last sandbox beyond the life of the service. Default: it is not remembered. */
  readonly generations?: GenerationMemory;
  /** The way from sandboxes to the outside. Default: none. */
  readonly gate?: EgressGate;
}

/** How often a sandbox is got for one opening. */
const BOOT_ATTEMPTS = 4;

/** Gives live workspaces over any provider. */
export function createWorkspaceManager(options: WorkspaceManagerOptions): WorkspaceManager {
  return new Manager(options);
}

class Manager implements WorkspaceManager {
  readonly #options: WorkspaceManagerOptions & Required<Pick<WorkspaceManagerOptions, "bootMs" | "openMs">>;
  readonly #places = new Map<string, Place>();
  readonly #closing = new AbortController();
  readonly #sweeper: IdleSweeper | undefined;

  constructor(options: WorkspaceManagerOptions) {
    this.#options = { bootMs: 20_000, openMs: 120_000, ...options };
    const { provider, log, idle } = options;
    if (idle !== undefined)
      this.#sweeper = new IdleSweeper({ provider, log, limits: idle, places: () => this.#places.values() });
    this.#sweeper?.start();
  }

  async getOrCreate(
    key: SandboxKey,
    {
      signal,
      onPhase,
      ifGone = "replace",
    }: { signal: AbortSignal; onPhase?: (message: string) => void; ifGone?: "replace" | "throw" },
  ): Promise<Workspace> {
    signal.throwIfAborted();
    const place = this.#place(key);
    place.ask();
    while (place.change !== undefined) await withSignal(place.change, signal);
    if (place.live !== undefined && !place.live.lost) return place.live;
    if (onPhase !== undefined) {
      place.listeners.add(onPhase);
      if (place.flight !== undefined) onPhase(place.phase);
    }
    try {
      for (;;) {
        const isOwn = place.flight === undefined;
        try {
          return await withSignal(this.#flight(place, ifGone), signal);
        } catch (error) {
          if (isOwn || ifGone === "throw" || !(error instanceof SandboxLost)) throw error;
        }
      }
    } finally {
      if (onPhase !== undefined) place.listeners.delete(onPhase);
    }
  }

  exists(key: SandboxKey): Promise<boolean> {
    return this.#options.provider.exists(key);
  }

  async look(key: SandboxKey): Promise<WorkspaceLook> {
    const { provider } = this.#options;
    const place = this.#places.get(placeName(key));
    const sandbox = await provider.find(key);
    return {
      state: sandbox === undefined ? "gone" : await provider.state(sandbox),
      generation: sandbox?.generation ?? 0,
      isConnected: this.peek(key) !== undefined,
      lastUsedAtMs: place?.lastUsedAtMs,
    };
  }

  restart(key: SandboxKey, { signal }: { signal: AbortSignal }): Promise<Workspace> {
    return this.#change(this.#place(key), signal, async (place) => {
      await this.#removeSandbox(place);
      return this.#flight(place);
    });
  }

  destroy(key: SandboxKey, { signal }: { signal: AbortSignal }): Promise<void> {
    return this.#change(this.#place(key), signal, async (place) => {
      await this.#removeSandbox(place);
      await this.#options.provider.destroy(key);
      await this.#options.generations?.write(key, 0);
      this.#places.delete(placeName(key));
    });
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
    await this.#sweeper?.stop();
    await Promise.allSettled(flights);
    for (const place of this.#places.values()) place.live?.close();
    await this.#options.provider.close();
  }

  #place(key: SandboxKey): Place {
    const name = placeName(key);
    let place = this.#places.get(name);
    if (place === undefined) {
      place = new Place(key);
      this.#places.set(name, place);
    }
    return place;
  }

  #flight(place: Place, ifGone: "replace" | "throw" = "replace"): Promise<LiveWorkspace> {
    return (place.flight ??= this.#open(place, ifGone).finally(() => {
      place.flight = undefined;
    }));
  }

  /** Does something to a project while nobody gets its workspace. The change goes on if the caller leaves. */
  async #change<T>(place: Place, signal: AbortSignal, change: (place: Place) => Promise<T>): Promise<T> {
    while (place.change !== undefined) await withSignal(place.change, signal);
    signal.throwIfAborted();
    const done = (async () => {
      await Promise.allSettled([place.flight]);
      return change(place);
    })();
    place.hold(done);
    return await withSignal(done, signal);
  }

  async #removeSandbox(place: Place): Promise<void> {
    const { provider } = this.#options;
    place.stopAgent();
    const sandbox = await provider.find(place.key);
    if (sandbox === undefined) return;
    place.generation = Math.max(place.generation, sandbox.generation);
    await provider.remove(sandbox);
    place.sandbox = undefined;
  }

  async #open(place: Place, ifGone: "replace" | "throw"): Promise<LiveWorkspace> {
    const { provider, log, openMs, generations } = this.#options;
    const startedAt = performance.now();
    await recallGeneration(place, generations);
    const earlierGeneration = place.generation;
    const foundAs = place.live === undefined ? place.leftAs : await provider.state(place.live.sandbox);
    const { sandbox, client, hello } = await within(
      {
        timeoutMs: openMs,
        signal: this.#closing.signal,
        onTimeout: () =>
          new SandboxError("not-startable", `the sandbox and its agent were not ready within ${openMs} ms`),
      },
      (signal) => this.#sandboxWithAgent(place, { ifGone, signal }),
    );
    const { generation } = sandbox;
    if (sandbox.created) await generations?.write(place.key, generation);
    const { endsWithAgent } = provider.surroundings(place.key);
    const notice = sandboxNotice({ earlierGeneration, generation, foundAs, endsWithAgent });
    if (notice !== undefined) place.notices.push(notice);
    place.leftAs = undefined;
    place.live = new LiveWorkspace({
      sandbox,
      root: hello.workspaceRoot,
      client,
      provider,
      notices: place.notices,
      gate: this.#options.gate,
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
  async #sandboxWithAgent(
    place: Place,
    { ifGone, signal }: { ifGone: "replace" | "throw"; signal: AbortSignal },
  ): Promise<BootedAgent & { sandbox: Sandbox }> {
    const { provider, log } = this.#options;
    const mayMake = ifGone === "replace" || place.generation === 0;
    let mayReplace = true;
    for (let attempt = 1; ; attempt += 1) {
      place.tell("getting the sandbox");
      const nextGeneration = place.generation + 1;
      const sandbox = await provider
        .getOrCreate(place.key, { nextGeneration, mayMake: mayMake || !mayReplace, signal })
        .catch((error: unknown) => {
          throw error instanceof SandboxError && error.failure === "gone" && !mayMake
            ? lostSandbox(place)
            : error;
        });
      place.generation = sandbox.generation;
      place.sandbox = sandbox;
      place.tell("starting the agent process in the sandbox");
      try {
        return { sandbox, ...(await this.#boot(place, sandbox, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SandboxError) || attempt === BOOT_ATTEMPTS) throw error;
        const state = await provider.state(sandbox);
        if (state === "unreachable") throw error;
        if (state === "gone" && !mayMake) throw lostSandbox(place);
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
    const { provider, assets, bootMs, log, gate, disk, artifacts } = this.#options;
    const proxyPort = gate === undefined ? undefined : EGRESS_PROXY_PORT;
    const boot = () =>
      bootAgent(sandbox, { provider, program: assets, bootMs, signal, proxyPort, disk, artifacts });
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
