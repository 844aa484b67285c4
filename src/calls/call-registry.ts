import type { Call, ProjectKey } from "./call.js";
import { projectKeyText } from "./call.js";
import type { CallArchive } from "./call-archive.js";
import { resultSize } from "./result-size.js";

/** Options of a CallRegistry. */
export interface CallRegistryOptions {
  /** Where calls outlive the process. Default: nowhere. */
  readonly archive?: CallArchive;
  /** How long the result of a call is kept in memory, in ms. Default 24 h. */
  readonly keptMs?: number;
  /** Most ended calls that are kept in memory. Default 2,000. */
  readonly keptCalls?: number;
  /** Most bytes of results and live output of ended calls that are kept in memory. Default 64 MiB. */
  readonly keptBytes?: number;
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

const NOTHING: Found = { kind: "nothing" };

/** The calls of all projects, by id: those that run, and the latest that ended; older ones come from the archive. */
export class CallRegistry {
  readonly #archive: CallArchive | undefined;
  readonly #keptMs: number;
  readonly #keptCalls: number;
  readonly #keptBytes: number;
  readonly #keptOutputBytes: number;
  readonly #tombstoneMs: number;
  readonly #now: () => number;
  readonly #projects = new Map<string, Map<string, Call>>();
  readonly #ended = new Map<Call, { readonly atMs: number; readonly bytes: number }>();
  readonly #tombstones = new Map<string, number>();
  readonly #knownProjects = new Set<string>();
  #endedBytes = 0;

  constructor(options: CallRegistryOptions = {}) {
    this.#archive = options.archive;
    this.#keptMs = options.keptMs ?? 24 * 3600 * 1000;
    this.#keptCalls = options.keptCalls ?? 2000;
    this.#keptBytes = options.keptBytes ?? 64 * 1024 * 1024;
    this.#keptOutputBytes = options.keptOutputBytes ?? 32 * 1024;
    this.#tombstoneMs = options.tombstoneMs ?? 60_000;
    this.#now = options.now ?? Date.now;
  }

  /** What stands under an id in memory. */
  peek(key: ProjectKey, id: string): Found {
    this.#forget();
    const call = this.#projects.get(projectKeyText(key))?.get(id);
    if (call !== undefined) return { kind: "call", call };
    return this.#tombstones.has(`${projectKeyText(key)}\0${id}`) ? { kind: "tombstone" } : NOTHING;
  }

  /** What stands under an id. */
  async find(key: ProjectKey, id: string): Promise<Found> {
    const here = this.peek(key, id);
    if (here.kind !== "nothing" || this.#archive === undefined) return here;
    const archived = await this.#archive.find(key, id);
    const meanwhile = this.peek(key, id);
    if (meanwhile.kind !== "nothing" || archived === undefined) return meanwhile;
    this.#put(archived);
    this.#end(archived);
    return { kind: "call", call: archived };
  }

  /** Adds a call under an id that is free. */
  add(call: Call): void {
    this.#put(call);
    void call.over.then(() => {
      call.journal.shrink(this.#keptOutputBytes);
      if (this.#projects.get(projectKeyText(call.key))?.get(call.id) === call) this.#end(call);
    });
  }

  /** Takes back a call that was added and could not be started. */
  remove(call: Call): void {
    this.#drop(call);
  }

  /** Remembers that a call was canceled before it came. */
  bury(key: ProjectKey, id: string): void {
    this.#tombstones.set(`${projectKeyText(key)}\0${id}`, this.#now());
  }

  /** Forgets a project whose calls have all ended, as if it had never had one. */
  async forgetProject(key: ProjectKey): Promise<void> {
    const text = projectKeyText(key);
    for (const call of this.all(key)) this.#drop(call);
    this.#projects.delete(text);
    this.#knownProjects.delete(text);
    await this.#archive?.forgetProject(key);
  }

  /** True if the project has ever had a call. */
  async knows(key: ProjectKey): Promise<boolean> {
    const text = projectKeyText(key);
    if (this.#knownProjects.has(text)) return true;
    if ((await this.#archive?.knowsProject(key)) !== true) return false;
    this.#knownProjects.add(text);
    return true;
  }

  /** The calls of a project that have not ended. */
  running(key: ProjectKey): Call[] {
    return this.all(key).filter((call) => call.result === undefined);
  }

  /** The calls of a project that are in memory. */
  all(key: ProjectKey): Call[] {
    return [...(this.#projects.get(projectKeyText(key))?.values() ?? [])];
  }

  /** The calls of every project that have not ended. */
  allRunning(): Call[] {
    return [...this.#projects.values()].flatMap((calls) =>
      [...calls.values()].filter((call) => call.result === undefined),
    );
  }

  #put(call: Call): void {
    const text = projectKeyText(call.key);
    this.#knownProjects.add(text);
    let calls = this.#projects.get(text);
    if (calls === undefined) {
      calls = new Map();
      this.#projects.set(text, calls);
    }
    if (calls.has(call.id)) throw new Error(`call id ${call.id} is taken`);
    calls.set(call.id, call);
  }

  #end(call: Call): void {
    const bytes = this.#keptOutputBytes + (call.result === undefined ? 0 : resultSize(call.result));
    this.#ended.set(call, { atMs: this.#now(), bytes });
    this.#endedBytes += bytes;
    this.#forget();
  }

  #drop(call: Call): void {
    this.#endedBytes -= this.#ended.get(call)?.bytes ?? 0;
    this.#ended.delete(call);
    this.#projects.get(projectKeyText(call.key))?.delete(call.id);
  }

  #forget(): void {
    const now = this.#now();
    for (const [call, { atMs }] of this.#ended) {
      const isRoomy = this.#ended.size <= this.#keptCalls && this.#endedBytes <= this.#keptBytes;
      if (isRoomy && now - atMs <= this.#keptMs) break;
      this.#drop(call);
    }
    for (const [name, at] of this.#tombstones) {
      if (now - at <= this.#tombstoneMs) break;
      this.#tombstones.delete(name);
    }
  }
}
