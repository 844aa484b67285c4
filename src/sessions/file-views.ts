/** What one session has seen of the files of its project. A port of tools. */
export interface SessionViews {
  /** False for a call without a session: nothing is then remembered. */
  readonly hasSession: boolean;
  /** The version that the session saw last; undefined if it has not seen the file. Paths are absolute, without links. */
  seen(path: string): string | undefined;
  /** The session has seen, or made, this version. */
  record(path: string, version: string): void;
  /** Does a change of the session that records what it made. */
  change<T>(make: () => Promise<T>): Promise<T>;
  /** Resolves when the changes of the session that are under way have recorded what they made. Never rejects. */
  settled(): Promise<void>;
}

/** Whose view it is. */
export interface ViewOwner {
  readonly tenant: string;
  readonly project: string;
  /** Empty: none. */
  readonly session: string;
}

const DEFAULT_MAX_ENTRIES = 10_000;

const NO_VIEWS: SessionViews = {
  hasSession: false,
  seen: () => undefined,
  record: () => undefined,
  change: (make) => make(),
  settled: () => Promise.resolve(),
};

/**
 * Remembers which version of a file each session saw last, in memory. The views that were not used for longest are
 * forgotten first; a file whose view is forgotten counts as not seen.
 */
export class FileViews {
  readonly #versions = new Map<string, string>();
  readonly #changes = new Map<string, Set<Promise<unknown>>>();
  readonly #maxEntries: number;

  /** `maxEntries` bounds the views of all sessions together. Default 10,000. */
  constructor({ maxEntries = DEFAULT_MAX_ENTRIES }: { maxEntries?: number } = {}) {
    this.#maxEntries = maxEntries;
  }

  /** The views of one session. */
  of({ tenant, project, session }: ViewOwner): SessionViews {
    if (session === "") return NO_VIEWS;
    const owner = [tenant, project, session].join("\0");
    const keyOf = (path: string) => `${owner}\0${path}`;
    return {
      hasSession: true,
      seen: (path) => this.#use(keyOf(path)),
      record: (path, version) => this.#record(keyOf(path), version),
      change: (make) => this.#change(owner, make),
      settled: async () => {
        await Promise.allSettled([...(this.#changes.get(owner) ?? [])]);
      },
    };
  }

  async #change<T>(owner: string, make: () => Promise<T>): Promise<T> {
    const changes = this.#changes.get(owner) ?? new Set();
    this.#changes.set(owner, changes);
    const change = make();
    changes.add(change);
    try {
      return await change;
    } finally {
      changes.delete(change);
      if (changes.size === 0) this.#changes.delete(owner);
    }
  }

  #use(key: string): string | undefined {
    const version = this.#versions.get(key);
    if (version !== undefined) this.#record(key, version);
    return version;
  }

  #record(key: string, version: string): void {
    this.#versions.delete(key);
    this.#versions.set(key, version);
    if (this.#versions.size <= this.#maxEntries) return;
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined) this.#versions.delete(oldest);
  }
}
