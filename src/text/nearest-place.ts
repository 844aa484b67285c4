import { splitLines } from "./split-lines.js";
import type { TextLine } from "./split-lines.js";

/** The lines of a text that are most like searched ones. */
export interface NearestPlace {
  /** First line, from 1. */
  readonly firstLine: number;
  /** The lines without their ends. */
  readonly lines: readonly string[];
}

/** Lines of the text that are compared, and units of a line. */
const MAX_LINES = 200_000;
const MAX_LINE_LENGTH = 200;
/** Least share of pairs of letters that two lines must have in common to be alike. */
const LEAST_LIKENESS = 0.5;

/**
 * Finds the lines that are most like the searched ones, in time linear in the text: where most of them stand, in whatever
 * order and indentation, else where a line is like the longest of them. Undefined if nothing is alike.
 */
export function nearestPlace(text: string, oldText: string): NearestPlace | undefined {
  const lines = splitLines(text).slice(0, MAX_LINES);
  const old = splitLines(oldText);
  const at = mostInCommon(lines, old) ?? mostAlike(lines, old);
  if (at === undefined) return undefined;
  const near = lines.slice(at, at + Math.max(1, old.length));
  return { firstLine: at + 1, lines: near.map(({ start, end }) => text.slice(start, end)) };
}

/** Start of the window with most of the searched lines. Lines without a word do not count. */
function mostInCommon(lines: readonly TextLine[], old: readonly TextLine[]): number | undefined {
  const wanted = new Set(old.map(({ words }) => words).filter((words) => /\w/.test(words)));
  const counts = new Map<string, number>();
  let best: { readonly at: number; readonly common: number } | undefined;
  for (const [index, { words }] of lines.entries()) {
    if (wanted.has(words)) counts.set(words, (counts.get(words) ?? 0) + 1);
    const leaving = lines[index - old.length]?.words;
    const left = leaving === undefined ? undefined : counts.get(leaving);
    if (leaving !== undefined && left !== undefined) {
      if (left > 1) counts.set(leaving, left - 1);
      else counts.delete(leaving);
    }
    if (counts.size > (best?.common ?? 0)) {
      best = { at: Math.max(0, index - old.length + 1), common: counts.size };
    }
  }
  return best === undefined ? undefined : alignedStart(lines, old, best.at);
}

/** Moves the start of a window onto the line that the searched text begins with, if that is near. */
function alignedStart(lines: readonly TextLine[], old: readonly TextLine[], at: number): number {
  const first = old[0]?.words ?? "";
  for (let ahead = 0; ahead < old.length && /\w/.test(first); ahead += 1) {
    if (lines[at + ahead]?.words === first) return at + ahead;
  }
  return at;
}

/** The line that is most like the longest searched line, moved to where the searched text would begin. */
function mostAlike(lines: readonly TextLine[], old: readonly TextLine[]): number | undefined {
  const longest = old.reduce(
    (best, { words }, index) => (words.length > (old[best]?.words.length ?? 0) ? index : best),
    0,
  );
  const wanted = pairsOf(old[longest]?.words ?? "");
  if (wanted.size === 0) return undefined;
  let best: { readonly at: number; readonly likeness: number } | undefined;
  for (const [index, { words }] of lines.entries()) {
    const likeness = likenessOf(wanted, words);
    if (likeness >= LEAST_LIKENESS && likeness > (best?.likeness ?? 0)) best = { at: index, likeness };
  }
  return best === undefined ? undefined : Math.max(0, best.at - longest);
}

function pairsOf(words: string): Set<string> {
  const pairs = new Set<string>();
  const end = Math.min(words.length, MAX_LINE_LENGTH);
  for (let at = 0; at + 1 < end; at += 1) pairs.add(words.slice(at, at + 2));
  return pairs;
}

function likenessOf(wanted: ReadonlySet<string>, words: string): number {
  if (words.length < wanted.size / 4) return 0;
  const pairs = pairsOf(words);
  let common = 0;
  for (const pair of pairs) if (wanted.has(pair)) common += 1;
  return (2 * common) / (wanted.size + pairs.size);
}
