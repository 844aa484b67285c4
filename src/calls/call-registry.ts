import type { Call, ProjectKey } from "./call.js";
import { projectKeyText } from "./call.js";

/** Options of a CallRegistry. */
export interface CallRegistryOptions {
  /** How long the result of a call is kept, in ms. Default 24 h. */
  readonly keptMs?: number;
  /** Most ended calls that are kept. Default 5,000. */
  readonly keptCalls?: number;
  /** Live output that is kept of an ended call, in bytes. Default 32 KiB. */
  readonly keptOutputBytes?: number;
  /** How long the cancellation of a call that has not come is remembered, in ms. Default 60,000. */
  readonly tombstoneMs?: number;
  readonly now?: () => number;
}

/** What stands under a call id. */
export type Found =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "tombstone" }
  | { readonly kind: "nothing" };

/** The calls of all projects, by id. Ended ones are kept for a time and in a number that are bounded. */
export class CallRegistry {
  readonly #keptMs: number;
  readonly #keptCalls: number;
  readonly #keptOutputBytes: number;
  readonly #tombstoneMs: number;
  readonly #now: () => number;
  readonly #projects = new Map<string, Map<string, Call>>();
  readonly #ended = new Map<Call, number>();
  readonly #tombstones = new Map<string, number>();
  readonly #knownProjects = new Set<string>();

  constructor(options: CallRegistryOptions = {}) {
    this.#keptMs = options.keptMs ?? 24 * 3600 * 1000;
    this.#keptCalls = options.keptCalls ?? 5000;
    this.#keptOutputBytes = options.keptOutputBytes ?? 32 * 1024;
    this.#tombstoneMs = options.tombstoneMs ?? 60_000;
    this.#now = options.now ?? Date.now;
  }

  /** What stands under an id. */
  find(key: ProjectKey, id: string): Found {
    this.#forget();
    const call = this.#projects.get(projectKeyText(key))?.get(id);
    if (call !== undefined) return { kind: "call", call };
    return this.#tombstones.has(`${projectKeyText(key)}\0${id}`)
      ? { kind: "tombstone" }
      : { kind: "nothing" };
  }

  /** Adds a call under an id that is free. */
  add(call: Call): void {
    const text = projectKeyText(call.key);
    this.#knownProjects.add(text);
    let calls = this.#projects.get(text);
    if (calls === undefined) {
      calls = new Map();
      this.#projects.set(text, calls);
    }
    if (calls.has(call.id)) throw new Error(`call id ${call.id} is taken`);
    calls.set(call.id, call);
    void call.run.over.then(() => {
      call.run.journal.shrink(this.#keptOutputBytes);
      this.#ended.set(call, this.#now());
      this.#forget();
    });
  }

  /** Remembers that a call was canceled before it came. */
  bury(key: ProjectKey, id: string): void {
    this.#tombstones.set(`${projectKeyText(key)}\0${id}`, this.#now());
  }

  /** Forgets a project whose calls have all ended, as if it had never had one. */
  forgetProject(key: ProjectKey): void {
    const text = projectKeyText(key);
    for (const call of this.#projects.get(text)?.values() ?? []) this.#ended.delete(call);
    this.#projects.delete(text);
    this.#knownProjects.delete(text);
  }

  /** True if the project has ever had a call. */
  knows(key: ProjectKey): boolean {
    return this.#knownProjects.has(projectKeyText(key));
  }

  /** The calls of a project that have not ended. */
  running(key: ProjectKey): Call[] {
    const calls = this.#projects.get(projectKeyText(key));
    return calls === undefined ? [] : [...calls.values()].filter((call) => call.run.result === undefined);
  }

  /** The calls of a project that are remembered. */
  all(key: ProjectKey): Call[] {
    return [...(this.#projects.get(projectKeyText(key))?.values() ?? [])];
  }

  /** The calls of every project that have not ended. */
  allRunning(): Call[] {
    return [...this.#projects.values()].flatMap((calls) =>
      [...calls.values()].filter((call) => call.run.result === undefined),
    );
  }

  #forget(): void {
    const now = this.#now();
    for (const [call, at] of this.#ended) {
      if (this.#ended.size <= this.#keptCalls && now - at <= this.#keptMs) break;
      this.#ended.delete(call);
      this.#projects.get(projectKeyText(call.key))?.delete(call.id);
    }
    for (const [name, at] of this.#tombstones) {
      if (now - at <= this.#tombstoneMs) break;
      this.#tombstones.delete(name);
    }
  }
}
