import type { FoundPath } from "./shown-path.js";
import { lineWindow } from "./line-window.js";
import type { MatchRecord } from "./match-record.js";

/** Most lines of one match that are shown. */
const MAX_MATCH_LINES = 50;

/** One match or context line of a file, as it is shown. */
export interface MatchEntry {
  readonly isMatch: boolean;
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Place of the match in its line, in characters from 1. */
  readonly column: number;
  /** One text for each line. */
  readonly lines: readonly string[];
}

/** The matches of one file as they come in: only those from a number on are held. */
export class FileMatches {
  readonly path: FoundPath;
  readonly entries: MatchEntry[] = [];
  /** Matches that have come in. */
  count = 0;
  /** True once a NUL character shows that this is no text. */
  isBinary = false;
  readonly #firstHeld: number;

  /** `firstHeld` counts matches of this file from 0. */
  constructor(path: FoundPath, firstHeld: number) {
    this.path = path;
    this.#firstHeld = firstHeld;
  }

  /** Takes one record. */
  add(record: Extract<MatchRecord, { type: "match" | "context" | "long" }>): void {
    const isMatch = record.type !== "context";
    if (record.type !== "long" && record.data.includes(0)) this.isBinary = true;
    if (this.count >= this.#firstHeld && !this.isBinary) {
      this.entries.push(record.type === "long" ? longEntry(record) : entryOf(record));
    }
    if (isMatch) this.count += 1;
  }
}

function entryOf(record: Extract<MatchRecord, { type: "match" | "context" }>): MatchEntry {
  const { data, start, line } = record;
  const lines: string[] = [];
  let from = 0;
  while (from < data.length && lines.length < MAX_MATCH_LINES) {
    const end = data.indexOf(0x0a, from);
    const next = end < 0 ? data.length : end + 1;
    lines.push(lineWindow(data.subarray(from, next), lines.length === 0 ? start : 0));
    from = next;
  }
  if (from < data.length) lines.push(`… [${data.length - from} bytes of this match omitted]`);
  return {
    isMatch: record.type === "match",
    line,
    column: data.subarray(0, start).toString().length + 1,
    lines: lines.length === 0 ? [""] : lines,
  };
}

function longEntry({ line, start }: Extract<MatchRecord, { type: "long" }>): MatchEntry {
  const text = `[the line is too long to be shown; read it with offset ${line}, line_offset ${start}]`;
  return { isMatch: true, line, column: start + 1, lines: [text] };
}
