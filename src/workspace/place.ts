import type { Sandbox, SandboxKey, SandboxState } from "../sandbox/provider.js";
import type { IdlePlace } from "./idle-sweeper.js";
import type { LiveWorkspace } from "./live-workspace.js";

/** What the service knows of one project's sandbox. */
export class Place implements IdlePlace {
  readonly key: SandboxKey;
  /** What the next caller is told. */
  readonly notices: string[] = [];
  /** Who hears what the flight is doing. */
  readonly listeners = new Set<(message: string) => void>();
  /** Number of the last sandbox; 0 before there was one. */
  generation = 0;
  sandbox: Sandbox | undefined;
  live: LiveWorkspace | undefined;
  /** The making of a live workspace, shared by all who wait for it. */
  flight: Promise<LiveWorkspace> | undefined;
  leftAs: SandboxState | undefined;
  #askedAtMs = Date.now();
  #change: Promise<void> | undefined;
  #phase = "getting the sandbox";

  constructor(key: SandboxKey) {
    this.key = key;
  }

  /** When somebody last asked for the workspace or used it, in ms since 1970. */
  get lastUsedAtMs(): number {
    return Math.max(this.#askedAtMs, this.live?.activity.lastAtMs ?? 0);
  }

  /** What the flight is doing. */
  get phase(): string {
    return this.#phase;
  }

  /** Notes that somebody asks for the workspace. */
  ask(): void {
    this.#askedAtMs = Date.now();
  }

  get change(): Promise<void> | undefined {
    return this.#change;
  }

  hold(change: Promise<unknown>): void {
    const over = (): void => {
      this.#change = undefined;
    };
    this.#change = change.then(over, over);
  }

  stopAgent(): void {
    this.#askedAtMs = this.lastUsedAtMs;
    this.live?.close();
    this.live = undefined;
  }

  /** Says what the flight is doing. */
  tell(phase: string): void {
    this.#phase = phase;
    for (const listener of this.listeners) listener(phase);
  }
}
