import type { Json } from "../../domain/tool-result.js";
import type { StreamRecord } from "./record-splitter.js";
import { foundPath, structuredPath } from "./shown-path.js";
import type { FoundPath } from "./shown-path.js";
import type { TextRoom } from "./text-room.js";

/** Options of FileListCollector. */
export interface FileListOptions {
  /** Most files to take. */
  readonly limit: number;
  /** Files to pass over first. */
  readonly offset: number;
  readonly room: TextRoom;
  /** True if a file counts. */
  readonly takes: (path: FoundPath) => boolean;
  /** True to show the number of matching lines of each, and to count those of all files. */
  readonly counts: boolean;
}

/** Collects the names of matching files, with or without their counts. */
export class FileListCollector {
  /** Files that were taken. */
  taken = 0;
  /** Matching lines of all files, also of those that were passed over. Only with `counts`. */
  total = 0;
  /** Files with matches that were seen. */
  seen = 0;
  hasMore = false;
  readonly matches: { readonly [key: string]: Json }[] = [];
  readonly #options: FileListOptions;
  #path: FoundPath | undefined;

  constructor(options: FileListOptions) {
    this.#options = options;
  }

  /** Hears what stands between two NUL bytes: a path, or a count and the next path. True if this is enough. */
  hear({ data }: StreamRecord): boolean {
    const count = /^(\d+)\r?\n/.exec(data.toString("latin1"));
    if (count !== null && this.#path !== undefined) this.#take(this.#path, Number(count[1]));
    if (this.hasMore && !this.#options.counts) return true;
    const rest = data.subarray(count?.[0].length ?? 0);
    this.#path = rest.length > 0 ? foundPath(rest) : undefined;
    return false;
  }

  #take(path: FoundPath, count: number): void {
    const { takes, offset, limit, room, counts } = this.#options;
    if (!takes(path)) return;
    this.seen += 1;
    this.total += count;
    if (this.seen <= offset || this.hasMore) return;
    const line = counts ? `${path.shown}: ${count}` : path.shown;
    if (this.taken >= limit || !room.add([line])) {
      this.hasMore = true;
      return;
    }
    this.taken += 1;
    this.matches.push({ ...structuredPath(path), ...(counts ? { count } : {}) });
  }
}
