import type { ByteCursor } from "./byte-cursor.js";
import { LineCollector } from "./line-collector.js";
import type { CollectedLine } from "./line-collector.js";
import { findLineFeed } from "./line-unit.js";
import type { LineUnit } from "./line-unit.js";

/** Which lines to read. */
export interface LineWindowOptions {
  /** At the first byte of the first line. */
  readonly cursor: ByteCursor;
  readonly unit: LineUnit;
  /** From 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** Most bytes of all lines; a line end counts as one byte. The first line is cut to it. */
  readonly maxBytes: number;
  readonly maxLineBytes: number;
  readonly lineOffsetBytes: number;
  /** True once no more time may be spent on bytes that are not answered. */
  readonly isExpired: () => boolean;
  readonly signal: AbortSignal;
}

/** A window of lines. */
export interface LineWindow {
  readonly lines: readonly CollectedLine[];
  readonly atEnd: boolean;
  /** Lines seen; all that the file has if `atEnd`. */
  readonly linesSeen: number;
  /** True if the file ends in a line end. Only known if `atEnd`. */
  readonly finalNewline: boolean;
  /** True if time ran out before the first line was found. */
  readonly scanStopped: boolean;
}

/** Reads a window of lines. Holds no more than the answer and one chunk in memory. */
export async function readLineWindow(options: LineWindowOptions): Promise<LineWindow> {
  const { cursor, firstLine, isExpired, signal } = options;
  let ended = 0;
  let open = false;
  while (ended < firstLine - 1) {
    if (!(await cursor.more()))
      return { ...nothing, atEnd: true, linesSeen: ended + (open ? 1 : 0), finalNewline: ended > 0 && !open };
    signal.throwIfAborted();
    if (isExpired()) return { ...nothing, linesSeen: ended + (open ? 1 : 0), scanStopped: true };
    const passed = passLines(options, firstLine - 1 - ended);
    ended += passed.count;
    open = passed.open;
  }
  return collectLines(options);
}

const nothing: LineWindow = {
  lines: [],
  atEnd: false,
  linesSeen: 0,
  finalNewline: false,
  scanStopped: false,
};

/** Moves the cursor behind `wanted` line ends, or to the end of its chunk. */
function passLines({ cursor, unit }: LineWindowOptions, wanted: number): { count: number; open: boolean } {
  const { chunk } = cursor;
  let count = 0;
  let lineStart = -1;
  let next = findLineFeed(chunk, cursor.at, unit);
  if (next >= 0 && unit.bytes === 1) {
    for (let at = next; at < chunk.length && count < wanted; at += 1)
      if (chunk[at] === 0x0a) {
        count += 1;
        lineStart = at + 1;
      }
  } else {
    for (; next >= 0 && count < wanted; next = findLineFeed(chunk, lineStart, unit)) {
      count += 1;
      lineStart = next + unit.bytes;
    }
  }
  cursor.at = count === wanted ? lineStart : chunk.length;
  return { count, open: cursor.at !== lineStart };
}

async function collectLines(options: LineWindowOptions): Promise<LineWindow> {
  const { cursor, firstLine, maxLines, maxBytes } = options;
  const lines: CollectedLine[] = [];
  const linesBefore = firstLine - 1;
  let bytes = 0;
  while (lines.length < maxLines) {
    if (!(await cursor.more())) return endOfFile(lines, linesBefore, { finalNewline: true });
    const roomBytes = lines.length === 0 ? Number.POSITIVE_INFINITY : maxBytes - bytes;
    const { line, end } = await collectLine(options, roomBytes);
    if (line === undefined) return { ...nothing, lines, linesSeen: linesBefore + lines.length + 1 };
    lines.push(line);
    bytes += line.data.length + 1;
    if (end === "file") return endOfFile(lines, linesBefore, { finalNewline: false });
    if (end === "time") return { ...nothing, lines, linesSeen: linesBefore + lines.length };
  }
  if (!(await cursor.more())) return endOfFile(lines, linesBefore, { finalNewline: true });
  return { ...nothing, lines, linesSeen: linesBefore + lines.length };
}

function endOfFile(
  lines: readonly CollectedLine[],
  linesBefore: number,
  { finalNewline }: { finalNewline: boolean },
): LineWindow {
  const linesSeen = linesBefore + lines.length;
  return { ...nothing, lines, atEnd: true, linesSeen, finalNewline: finalNewline && linesSeen > 0 };
}

/** Reads one line to its end. No line if more of it would be kept than there is room for. */
async function collectLine(
  { cursor, unit, maxBytes, maxLineBytes, lineOffsetBytes, isExpired, signal }: LineWindowOptions,
  roomBytes: number,
): Promise<{ line: CollectedLine | undefined; end: "line" | "file" | "time" }> {
  const collector = new LineCollector({
    unit,
    offsetBytes: lineOffsetBytes,
    maxBytes: Math.min(maxLineBytes, maxBytes),
  });
  for (;;) {
    const { chunk, at } = cursor;
    const lineFeed = findLineFeed(chunk, at, unit);
    const end = lineFeed < 0 ? chunk.length : lineFeed;
    collector.add(chunk.subarray(at, end));
    cursor.at = lineFeed < 0 ? end : end + unit.bytes;
    if (collector.keptBytes >= roomBytes) return { line: undefined, end: "line" };
    if (lineFeed >= 0) return { line: collector.finish({ terminated: true }), end: "line" };
    signal.throwIfAborted();
    if (isExpired()) return { line: collector.finish({ terminated: false }), end: "time" };
    if (!(await cursor.more())) return { line: collector.finish({ terminated: false }), end: "file" };
  }
}
