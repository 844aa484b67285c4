import type { Sandbox, SandboxKey, SandboxProvider, SandboxState } from "../sandbox/provider.js";
import type { LiveWorkspace } from "./live-workspace.js";

/** How long what nobody uses is kept, in ms. */
export interface IdleLimits {
  /** An agent process, which costs memory. */
  readonly agentMs: number;
  /** A running sandbox. */
  readonly sandboxMs: number;
}

/** A background process keeps its sandbox for so many times the limit. */
const BACKGROUND_FACTOR = 8;

/** Longest wait for an agent to say what runs, in ms. */
const ANSWER_MS = 5000;

/** Longest time between two sweeps, in ms, and how many there are at least in the shorter limit. */
const LONGEST_PAUSE_MS = 15_000;
const SWEEPS_IN_LIMIT = 4;

/** What the sweeper knows of one project. */
export interface IdlePlace {
  readonly key: SandboxKey;
  readonly live: LiveWorkspace | undefined;
  readonly flight: Promise<unknown> | undefined;
  /** A restart, stop or removal that is under way: nobody gets the workspace meanwhile. */
  readonly change: Promise<void> | undefined;
  /** The sandbox of the last agent, as long as it may run. */
  readonly sandbox: Sandbox | undefined;
  readonly lastUsedAtMs: number;
  /** State in which the sandbox was left, if something was lost that the next caller should hear of. */
  leftAs: SandboxState | undefined;
  /** Says that a change is under way until the promise settles. */
  hold(change: Promise<unknown>): void;
  /** Ends the agent, if there is one. */
  stopAgent(): void;
}

/** Options of IdleSweeper. */
export interface IdleSweeperOptions {
  readonly provider: SandboxProvider;
  readonly limits: IdleLimits;
  readonly places: () => Iterable<IdlePlace>;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Time in ms since 1970. Default: that of the system. */
  readonly now?: () => number;
}

/**
 * Stops agents and sandboxes that nobody uses, also those that an earlier process of this installation left. A project
 * is in use while something is asked of its agent or a connection is open; processes that calls left in the background
 * keep its sandbox eight times as long.
 */
export class IdleSweeper {
  readonly #options: Required<IdleSweeperOptions>;
  readonly #strangers = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #sweeping = Promise.resolve();

  constructor(options: IdleSweeperOptions) {
    this.#options = { now: Date.now, ...options };
  }

  /** Sweeps from now on. */
  start(): void {
    const { agentMs, sandboxMs } = this.#options.limits;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.ceil(Math.min(agentMs, sandboxMs) / SWEEPS_IN_LIMIT));
    this.#timer = setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    }, pauseMs);
    this.#timer.unref();
  }

  /** Sweeps no more. Resolves when what was being stopped is stopped. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { places, log } = this.#options;
    try {
      for (const place of places()) await this.#sweepPlace(place);
      await this.#sweepStrangers();
    } catch (error) {
      log.warn({ reason: String(error) }, "idle sandboxes could not be looked for");
    }
  }

  async #sweepPlace(place: IdlePlace): Promise<void> {
    const { limits, provider, now, log } = this.#options;
    const { key, live, sandbox } = place;
    const idleMs = now() - place.lastUsedAtMs;
    const inUse = (): boolean =>
      isBusy(place) || place.live !== live || now() - place.lastUsedAtMs < limits.agentMs;
    if (idleMs < limits.agentMs || isBusy(place)) return;
    if (live?.lost === false) {
      if (live.openConnections > 0) return;
      const background = await live.livingRuns(AbortSignal.timeout(ANSWER_MS));
      if (inUse() || (background > 0 && idleMs < limits.sandboxMs * BACKGROUND_FACTOR)) return;
      place.stopAgent();
      if (background > 0 || provider.surroundings(key).endsWithAgent) place.leftAs = "running";
      log.info({ project: key.project, idle_ms: idleMs, background }, "idle agent stopped");
    }
    if (sandbox === undefined || provider.stop === undefined || idleMs < limits.sandboxMs) return;
    const isAsleep = (): boolean =>
      place.live === undefined && now() - place.lastUsedAtMs >= limits.sandboxMs;
    if (isBusy(place) || (await provider.state(sandbox)) !== "running" || isBusy(place) || !isAsleep())
      return;
    const stopped = provider.stop(sandbox.id);
    place.hold(stopped);
    await stopped;
    place.leftAs = "stopped";
    log.info({ project: key.project, idle_ms: idleMs }, "idle sandbox stopped");
  }

  /** Stops what an earlier process left and nobody has used since. */
  async #sweepStrangers(): Promise<void> {
    const { provider, limits, places, now, log } = this.#options;
    if (provider.stop === undefined || provider.running === undefined) return;
    const running = await provider.running();
    const all = [...places()];
    if (all.some(isBusy)) return;
    const known = new Set(all.map(({ sandbox }) => sandbox?.id));
    const strangers = running.filter((id) => !known.has(id));
    for (const id of this.#strangers.keys()) if (!strangers.includes(id)) this.#strangers.delete(id);
    for (const id of strangers) {
      const sinceMs = this.#strangers.get(id) ?? now();
      this.#strangers.set(id, sinceMs);
      if (now() - sinceMs < limits.sandboxMs) continue;
      await provider.stop(id);
      this.#strangers.delete(id);
      log.info({ sandbox: id.slice(0, 12) }, "sandbox that an earlier service left stopped");
    }
  }
}

function isBusy({ flight, change }: IdlePlace): boolean {
  return flight !== undefined || change !== undefined;
}
