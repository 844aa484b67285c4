import type { PathPattern } from "./path-pattern.js";
import type { StreamRecord } from "./record-splitter.js";
import { foundPath } from "./shown-path.js";
import type { FoundPath } from "./shown-path.js";

/** Most files that are put in order, and most bytes of their paths. */
const MAX_FILES = 50_000;
const MAX_PATH_BYTES = 3 * 1024 * 1024;
/** Most directories that are held to tell whether the pattern matches one. */
const MAX_DIRECTORIES = 10_000;

/** Collects the files that a pattern takes. */
export class GlobCollector {
  /** Files that were looked at. */
  seen = 0;
  /** Files that match, also those beyond what is held. */
  matched = 0;
  /** Files that would match if hidden names were taken. */
  hidden = 0;
  readonly files: FoundPath[] = [];
  readonly #pattern: PathPattern;
  readonly #start: string;
  readonly #takesHidden: boolean;
  readonly #directories = new Set<string>();
  #bytes = 0;

  /** `start` is what every path begins with. */
  constructor(options: { pattern: PathPattern; start: string; hidden: boolean }) {
    this.#pattern = options.pattern;
    this.#start = options.start.replace(/^\.\//, "");
    this.#takesHidden = options.hidden;
  }

  /** Hears the path of a file. Never has enough. */
  hear({ data }: StreamRecord): false {
    if (data.length === 0) return false;
    this.seen += 1;
    const path = foundPath(data);
    const relative = path.text.startsWith(this.#start) ? path.text.slice(this.#start.length) : path.text;
    this.#noteDirectory(relative);
    if (!this.#pattern.takes(relative, { hidden: true })) return false;
    if (!this.#takesHidden && !this.#pattern.takes(relative, { hidden: false })) {
      this.hidden += 1;
      return false;
    }
    this.matched += 1;
    const bytes = this.#bytes + path.bytes.length + 1;
    if (this.files.length < MAX_FILES && bytes <= MAX_PATH_BYTES) {
      this.files.push({ ...path, bytes: Buffer.from(path.bytes) });
      this.#bytes = bytes;
    }
    return false;
  }

  /** A directory that the pattern takes, as far as those with files in them are known. */
  matchingDirectory(): string | undefined {
    for (const directory of this.#directories) {
      if (this.#pattern.takes(directory, { hidden: this.#takesHidden })) return this.#start + directory;
    }
    return undefined;
  }

  #noteDirectory(path: string): void {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      if (this.#directories.size >= MAX_DIRECTORIES || this.#directories.has(directory)) return;
      this.#directories.add(directory);
    }
  }
}
