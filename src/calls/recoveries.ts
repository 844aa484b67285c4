import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace, WorkspaceManager } from "../workspace/workspace.js";
import { projectKeyText } from "./call.js";
import type { ProjectKey } from "./call.js";

/** How often a lost sandbox is replaced. */
export interface RecoveryPolicy {
  /** Wait before a sandbox is replaced, in ms. Default 1,500. */
  readonly waitMs: number;
  /** Most recoveries of a project without a quiet time between. Default 3. */
  readonly max: number;
  /** Time without a recovery after which the count begins again, in ms. Default 1,800,000. */
  readonly quietMs: number;
}

/** The policy if nothing is configured. */
export const DEFAULT_RECOVERY: RecoveryPolicy = { waitMs: 1500, max: 3, quietMs: 30 * 60_000 };

/** The recoveries of a project. */
export interface RecoveryCount {
  readonly count: number;
  /** Ms since 1970. */
  readonly lastAtMs: number;
}

/** Keeps the counts beyond the life of the service. */
export interface RecoveryMemory {
  read(key: ProjectKey): Promise<RecoveryCount | undefined>;
  write(key: ProjectKey, count: RecoveryCount | undefined): Promise<void>;
}

/** What is done about a loss. */
export type Recovery =
  /** The sandbox is being replaced; `done` resolves with the new one. Throws SandboxError, SandboxLost. */
  | { readonly did: "begun"; readonly done: Promise<Pick<Workspace, "generation">> }
  /** The sandbox was lost too often; `untilMs` (since 1970) is when it is tried again. */
  | { readonly did: "exhausted"; readonly untilMs: number };

/** Options of Recoveries. */
export interface RecoveriesOptions {
  readonly workspaces: Pick<WorkspaceManager, "getOrCreate" | "peek">;
  readonly policy: RecoveryPolicy;
  readonly memory: RecoveryMemory;
  readonly log: { warn(fields: object, message: string): void };
  /** Hears of each recovery that is begun. */
  readonly onAttempt: () => void;
  readonly now?: () => number;
}

/**
 * Replaces sandboxes that are gone: once for all calls that find the same one gone, after a wait, and only so often for
 * a project until it has been quiet for a time.
 */
export class Recoveries {
  readonly #options: RecoveriesOptions;
  readonly #now: () => number;
  readonly #flights = new Map<string, Promise<Recovery>>();

  constructor(options: RecoveriesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The wait before a sandbox is replaced, in ms. */
  get waitMs(): number {
    return this.#options.policy.waitMs;
  }

  /**
   * Begins to replace the sandbox of that generation, unless a later one lives. It goes on if those who wait for it leave.
   */
  recover(key: ProjectKey, lostGeneration: number): Promise<Recovery> {
    const name = projectKeyText(key);
    const flight = this.#flights.get(name);
    if (flight !== undefined) return flight;
    const begun = this.#begin(key, lostGeneration);
    this.#flights.set(name, begun);
    const land = () => void this.#flights.delete(name);
    begun.then((recovery) => (recovery.did === "begun" ? recovery.done : undefined)).then(land, land);
    return begun;
  }

  /** Begins to count again. */
  async reset(key: ProjectKey): Promise<void> {
    await this.#options.memory.write(key, undefined);
  }

  async #begin(key: ProjectKey, lostGeneration: number): Promise<Recovery> {
    const { workspaces, policy, memory, log, onAttempt } = this.#options;
    const live = workspaces.peek(key);
    if (live !== undefined && live.generation > lostGeneration)
      return { did: "begun", done: Promise.resolve(live) };
    const earlier = await memory.read(key);
    const untilMs = (earlier?.lastAtMs ?? 0) + policy.quietMs;
    const count = earlier === undefined || this.#now() >= untilMs ? 0 : earlier.count;
    if (count >= policy.max) return { did: "exhausted", untilMs };
    await memory.write(key, { count: count + 1, lastAtMs: this.#now() });
    onAttempt();
    log.warn(
      {
        project: key.project,
        tenant: key.tenant,
        generation: lostGeneration,
        attempt: count + 1,
        wait_ms: policy.waitMs,
      },
      "sandbox_recovery_attempted",
    );
    const done = sleep(policy.waitMs).then(() =>
      workspaces.getOrCreate(key, { signal: new AbortController().signal }),
    );
    done.catch(() => undefined);
    return { did: "begun", done };
  }
}

/** Counts in memory. */
export function recoveryMemory(): RecoveryMemory {
  const counts = new Map<string, RecoveryCount>();
  return {
    read: (key) => Promise.resolve(counts.get(projectKeyText(key))),
    write(key, count) {
      if (count === undefined) counts.delete(projectKeyText(key));
      else counts.set(projectKeyText(key), count);
      return Promise.resolve();
    },
  };
}
