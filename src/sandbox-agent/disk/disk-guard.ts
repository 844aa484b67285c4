import { statfsSync } from "node:fs";
import { measureTree } from "./measure-tree.js";

/** How often growth is looked for while something runs, in ms. */
const LOOK_MS = 500;

/** Least time between two countings, in ms, and the longest counting. */
const BETWEEN_COUNTS_MS = 3000;
const COUNT_MS = 10_000;

/** Growth that is let pass in a project that is over its quota already, so that files can be moved and removed. */
const SLACK_BYTES = 16 * 1024 * 1024;

/** Options of DiskGuard. */
export interface DiskGuardOptions {
  /** Directories that count. The first one says how much the disk has left. */
  readonly directories: readonly string[];
  /** Most bytes of the directories together. 0: any number. */
  readonly quotaBytes: number;
  /** Bytes of the disk that are left to others. 0: none. */
  readonly reserveBytes: number;
}

/** A run that is watched. */
export interface DiskWatch {
  stop(): void;
}

interface Watched {
  readonly onExceeded: (reason: string) => void;
  /** What was used and free when the run began, as far as it is known. */
  usedAtStart: number | undefined;
  readonly freeAtStart: number;
}

/**
 * Ends runs that make a project larger than its quota, or its disk fuller than others can bear. What a disk has left costs
 * nothing to ask; files are counted only if that has fallen by so much that the quota may be exceeded. A run in a project
 * that is over its quota already may remove files and is ended only if the project grows further.
 */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #counted: { readonly used: number; readonly free: number; readonly atMs: number } | undefined;
  #isCounting = false;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
  }

  /** Watches a run until `stop`; `onExceeded` hears, once, why it is to be ended. */
  watch(onExceeded: (reason: string) => void): DiskWatch {
    const { quotaBytes, reserveBytes } = this.#options;
    if (quotaBytes === 0 && reserveBytes === 0) return { stop: () => undefined };
    const free = this.#freeBytes();
    const watched = { onExceeded, usedAtStart: this.#estimate(free), freeAtStart: free };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    return { stop: () => this.#forget(watched) };
  }

  /** Why so many bytes more cannot be written; undefined if they can. Counts first if that may matter. */
  async refusal(bytes: number): Promise<string | undefined> {
    const { quotaBytes, reserveBytes } = this.#options;
    const free = this.#freeBytes();
    if (reserveBytes > 0 && free - bytes < reserveBytes) return this.#fullDisk(free);
    if (quotaBytes === 0) return undefined;
    const estimate = this.#estimate(free);
    if (estimate !== undefined && estimate + bytes <= quotaBytes) return undefined;
    if (this.#mayCount() || (!this.#isCounting && free > (this.#counted?.free ?? 0))) await this.#count();
    const used = this.#estimate(this.#freeBytes()) ?? 0;
    return used + bytes > quotaBytes ? this.#overQuota(used) : undefined;
  }

  #forget(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const { quotaBytes, reserveBytes } = this.#options;
    const free = this.#freeBytes();
    if (reserveBytes > 0 && free < reserveBytes)
      for (const watched of [...this.#watched])
        if (watched.freeAtStart - free > SLACK_BYTES) this.#exceed(watched, this.#fullDisk(free));
    if (quotaBytes === 0) return;
    const estimate = this.#estimate(free);
    if (estimate !== undefined && estimate <= quotaBytes) return;
    if (!this.#mayCount()) return;
    const used = await this.#count();
    for (const watched of [...this.#watched]) {
      watched.usedAtStart ??= used;
      if (used > Math.max(quotaBytes, watched.usedAtStart + SLACK_BYTES))
        this.#exceed(watched, this.#overQuota(used));
    }
  }

  #exceed(watched: Watched, reason: string): void {
    this.#forget(watched);
    watched.onExceeded(reason);
  }

  /** What is used if all that the disk has lost since the last counting was taken by this project. */
  #estimate(free: number): number | undefined {
    return this.#counted && this.#counted.used + Math.max(0, this.#counted.free - free);
  }

  #mayCount(): boolean {
    return !this.#isCounting && performance.now() - (this.#counted?.atMs ?? -Infinity) > BETWEEN_COUNTS_MS;
  }

  async #count(): Promise<number> {
    this.#isCounting = true;
    try {
      const free = this.#freeBytes();
      const { bytes } = await measureTree(this.#options.directories, { limitMs: COUNT_MS });
      this.#counted = { used: bytes, free, atMs: performance.now() };
      return bytes;
    } finally {
      this.#isCounting = false;
    }
  }

  #freeBytes(): number {
    const [directory = "/"] = this.#options.directories;
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  }

  #overQuota(used: number): string {
    return `the project's files take ${mib(used)}, and ${mib(this.#options.quotaBytes)} are allowed`;
  }

  #fullDisk(free: number): string {
    return `the disk has ${mib(free)} left, and ${mib(this.#options.reserveBytes)} of it are kept free`;
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
