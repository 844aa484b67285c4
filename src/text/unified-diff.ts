import { structuredPatch } from "diff";
import { lineNumberAt } from "./line-ends.js";

/** Options of unifiedDiff. */
export interface UnifiedDiffOptions {
  readonly before: string;
  readonly after: string;
  /** Most UTF-16 units of the result. */
  readonly maxLength: number;
}

const CONTEXT_LINES = 3;
/** Longest changed part that is compared line by line, in UTF-16 units. */
const MAX_COMPARED_LENGTH = 256 * 1024;
const MAX_LINE_LENGTH = 300;
const TIMEOUT_MS = 100;

/**
 * The hunks of a unified diff, without file names; line ends are not shown. Undefined where the changed part is too large
 * to compare in time. What is longer than `maxLength` is cut after a line, and says so.
 */
export function unifiedDiff({ before, after, maxLength }: UnifiedDiffOptions): string | undefined {
  const part = changedPart(before, after);
  if (Math.max(part.before.length, part.after.length) > MAX_COMPARED_LENGTH) return undefined;
  const patch = structuredPatch("", "", part.before, part.after, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: TIMEOUT_MS,
  });
  if (patch === undefined) return undefined;
  const rows = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart + part.linesBefore, oldLines)} +${range(newStart + part.linesBefore, newLines)} @@`,
    ...lines,
  ]);
  return fit(rows, maxLength);
}

/** Without lines, a range names the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

interface ChangedPart {
  readonly before: string;
  readonly after: string;
  /** Lines that stand before the part. */
  readonly linesBefore: number;
}

/** What differs, in whole lines, with context around it. */
function changedPart(before: string, after: string): ChangedPart {
  const most = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < most && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < most - prefix && before[before.length - 1 - suffix] === after[after.length - 1 - suffix])
    suffix += 1;
  const start = linesBack(before, prefix);
  const suffixStart = before.length - suffix;
  const tail = linesOn(before, suffixStart) - suffixStart;
  return {
    before: before.slice(start, suffixStart + tail),
    after: after.slice(start, after.length - suffix + tail),
    linesBefore: lineNumberAt(before, start) - 1,
  };
}

/** Start of the line that is CONTEXT_LINES above the one of the index. */
function linesBack(text: string, index: number): number {
  let at = lineStart(text, index);
  for (let line = 0; line < CONTEXT_LINES && at > 0; line += 1) at = lineStart(text, at - 1);
  return at;
}

function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

/** End of the line that is CONTEXT_LINES below the one of the index. */
function linesOn(text: string, index: number): number {
  let at = index;
  for (let line = 0; line <= CONTEXT_LINES; line += 1) {
    const newline = text.indexOf("\n", at);
    if (newline < 0) return text.length;
    at = newline + 1;
  }
  return at;
}

function fit(rows: readonly string[], maxLength: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const row of rows) {
    const line = row.replace(/\r$/, "");
    const shown = line.length > MAX_LINE_LENGTH ? `${cut(line)}… [${line.length} characters]` : line;
    length += shown.length + 1;
    if (length > maxLength) return [...kept, `… [${rows.length - kept.length} more lines]`].join("\n");
    kept.push(shown);
  }
  return kept.join("\n");
}

/** The start of a line, which ends in no half of a character. */
function cut(line: string): string {
  return line.slice(0, MAX_LINE_LENGTH).replace(/[\ud800-\udbff]$/, "");
}
