import type { Json } from "../../domain/tool-result.js";
import { FileMatches } from "./file-matches.js";
import type { MatchEntry } from "./file-matches.js";
import { parseMatchRecord } from "./match-record.js";
import type { StreamRecord } from "./record-splitter.js";
import { foundPath, structuredPath } from "./shown-path.js";
import type { FoundPath } from "./shown-path.js";
import type { TextRoom } from "./text-room.js";

/** Options of ContentCollector. */
export interface ContentOptions {
  /** Most matches to take. */
  readonly limit: number;
  /** Matches to pass over first. */
  readonly offset: number;
  /** Where the lines go. */
  readonly room: TextRoom;
  /** True if a file counts. */
  readonly takes: (path: FoundPath) => boolean;
}

/** Collects matching lines, grouped by file, until the limit is reached or the room is full. */
export class ContentCollector {
  /** Matches that were taken, and files that they are in. */
  taken = 0;
  files = 0;
  /** True if there are matches beyond those that were taken. */
  hasMore = false;
  /** Records that were none of ripgrep's. */
  foreign = 0;
  readonly matches: { readonly [key: string]: Json }[] = [];
  readonly #options: ContentOptions;
  #seen = 0;
  #file: FileMatches | undefined;

  constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** Hears a record; true if this is enough. */
  hear(record: StreamRecord): boolean {
    const parsed = parseMatchRecord(record);
    switch (parsed?.type) {
      case "begin": {
        const path = foundPath(parsed.path);
        const firstHeld = Math.max(0, this.#options.offset - this.#seen);
        this.#file = this.#options.takes(path) ? new FileMatches(path, firstHeld) : undefined;
        return false;
      }
      case "match":
      case "context":
      case "long":
        return this.#add(parsed);
      case "end":
        if (this.#file !== undefined && parsed.isBinary) this.#file.isBinary = true;
        this.#closeFile();
        return this.hasMore;
      case "foreign":
        this.foreign += 1;
        return false;
      case undefined:
        return false;
    }
  }

  /** Ends the collection: a file that was cut off counts as far as it came. */
  finish(): void {
    this.#closeFile();
  }

  #add(record: Parameters<FileMatches["add"]>[0]): boolean {
    const file = this.#file;
    if (file === undefined) return false;
    file.add(record);
    const { offset, limit } = this.#options;
    if (file.isBinary || this.#seen + file.count <= offset + limit) return false;
    this.#closeFile();
    return true;
  }

  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined || file.count === 0) return;
    const { offset } = this.#options;
    if (file.isBinary) {
      this.#seen += 1;
      if (this.#seen > offset) this.#takeBinary(file);
      return;
    }
    this.#seen += file.count;
    if (file.entries.some(({ isMatch }) => isMatch)) this.#takeLines(file);
  }

  #takeBinary({ path }: FileMatches): void {
    if (!this.#hasRoomFor([`${path.shown}: binary file matches`])) return;
    this.taken += 1;
    this.files += 1;
    this.matches.push({ ...structuredPath(path), binary: true });
  }

  #takeLines({ path, entries }: FileMatches): void {
    let header: string[] = this.files === 0 ? [path.shown] : ["", path.shown];
    let expected: number | undefined;
    for (const entry of entries) {
      const gap =
        expected !== undefined && entry.line > expected + 1 && this.#showsGaps(entries) ? ["--"] : [];
      const rows = entry.lines.map((text, at) => `${entry.line + at}${entry.isMatch ? ":" : "-"}${text}`);
      if (!this.#hasRoomFor([...header, ...gap, ...rows], entry)) return;
      if (header.length > 0) this.files += 1;
      header = [];
      expected = entry.line + entry.lines.length - 1;
      if (!entry.isMatch) continue;
      this.taken += 1;
      this.matches.push({
        ...structuredPath(path),
        line: entry.line,
        column: entry.column,
        text: entry.lines.join("\n"),
      });
    }
  }

  #showsGaps(entries: readonly MatchEntry[]): boolean {
    return entries.some(({ isMatch }) => !isMatch);
  }

  #hasRoomFor(rows: readonly string[], entry?: MatchEntry): boolean {
    const isMatch = entry?.isMatch ?? true;
    const fits = !(isMatch && this.taken >= this.#options.limit) && this.#options.room.add(rows);
    if (!fits) this.hasMore = true;
    return fits;
  }
}
