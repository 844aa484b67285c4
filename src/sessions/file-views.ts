/** What one session has seen of the files of its project. A port of tools. */
export interface SessionViews {
  /** False for a call without a session: nothing is then remembered. */
  readonly hasSession: boolean;
  /** The version that the session saw last; undefined if it has not seen the file. Paths are absolute, without links. */
  seen(path: string): string | undefined;
  /** The session has seen, or made, this version. */
  record(path: string, version: string): void;
}

/** Whose view it is. */
export interface ViewOwner {
  readonly tenant: string;
  readonly project: string;
  /** Empty: none. */
  readonly session: string;
}

const DEFAULT_MAX_ENTRIES = 10_000;

const NO_VIEWS: SessionViews = { hasSession: false, seen: () => undefined, record: () => undefined };

/**
 * Remembers which version of a file each session saw last, in memory. The views that were not used for longest are
 * forgotten first; a file whose view is forgotten counts as not seen.
 */
export class FileViews {
  readonly #versions = new Map<string, string>();
  readonly #maxEntries: number;

  /** `maxEntries` bounds the views of all sessions together. Default 10,000. */
  constructor({ maxEntries = DEFAULT_MAX_ENTRIES }: { maxEntries?: number } = {}) {
    this.#maxEntries = maxEntries;
  }

  /** The views of one session. */
  of({ tenant, project, session }: ViewOwner): SessionViews {
    if (session === "") return NO_VIEWS;
    const keyOf = (path: string) => [tenant, project, session, path].join("\0");
    return {
      hasSession: true,
      seen: (path) => this.#use(keyOf(path)),
      record: (path, version) => this.#record(keyOf(path), version),
    };
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
