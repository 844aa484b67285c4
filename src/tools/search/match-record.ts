import type { StreamRecord } from "./record-splitter.js";

/** What one JSON record of ripgrep says. */
export type MatchRecord =
  | { readonly type: "begin"; readonly path: Buffer }
  | {
      readonly type: "match" | "context";
      /** Number of its first line, from 1. */
      readonly line: number;
      /** The lines, with their ends. */
      readonly data: Buffer;
      /** First byte of the first match in `data`. */
      readonly start: number;
    }
  /** Lines that were too long to be held. */
  | { readonly type: "long"; readonly line: number; readonly start: number }
  | { readonly type: "end"; readonly isBinary: boolean }
  /** Not a record of ripgrep. */
  | { readonly type: "foreign" };

interface Data {
  readonly text?: string;
  readonly bytes?: string;
}

interface Raw {
  readonly type: string;
  readonly data: {
    readonly path?: Data;
    readonly lines?: Data;
    readonly line_number?: number | null;
    readonly submatches?: readonly { readonly start: number }[];
    readonly binary_offset?: number | null;
  };
}

/** Reads a record; undefined for one that says nothing of use. */
export function parseMatchRecord({ data, tail }: StreamRecord): MatchRecord | undefined {
  if (tail !== undefined) return longRecord(data, tail);
  if (data.length === 0) return undefined;
  const raw = parse(data);
  if (raw === undefined) return { type: "foreign" };
  const { type, data: said } = raw;
  switch (type) {
    case "begin":
      return { type, path: bytesOf(said.path) };
    case "match":
    case "context":
      return {
        type,
        line: said.line_number ?? 0,
        data: bytesOf(said.lines),
        start: said.submatches?.[0]?.start ?? 0,
      };
    case "end":
      return { type, isBinary: typeof said.binary_offset === "number" };
    default:
      return undefined;
  }
}

function parse(data: Buffer): Raw | undefined {
  try {
    const value = JSON.parse(data.toString()) as Partial<Raw> | null;
    return typeof value?.type === "string" && typeof value.data === "object" ? (value as Raw) : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf({ text, bytes }: Data = {}): Buffer {
  return bytes === undefined ? Buffer.from(text ?? "") : Buffer.from(bytes, "base64");
}

function longRecord(head: Buffer, tail: Buffer): MatchRecord | undefined {
  if (!head.toString("latin1", 0, 20).startsWith('{"type":"match"')) return undefined;
  const end = tail.toString("latin1");
  const number = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(end)?.[1] ?? 0);
  return { type: "long", line: number("line_number"), start: number("start") };
}
