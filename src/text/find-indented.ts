import type { MatchRequest, Replacement } from "./find-match.js";
import { lineEndOf } from "./line-ends.js";
import { reindenter } from "./reindent.js";
import type { IndentPair, Reindent } from "./reindent.js";
import { splitLines } from "./split-lines.js";
import type { TextLine } from "./split-lines.js";

/** Comparisons of lines after which the search is given up. */
const MAX_COMPARISONS = 4_000_000;

/**
 * The places where whole lines differ from the searched ones by one change of indentation, the same for all, and by space
 * at their ends. The new lines are indented as the file is. Nothing where a new line's indentation cannot be told.
 */
export function findIndented({ text, oldText, newText }: MatchRequest): Replacement[] {
  const old = splitLines(oldText);
  const wholeLines = oldText.endsWith("\n");
  if (!old.some(({ words }) => /\w.*\w/.test(words))) return [];
  const lines = splitLines(text);
  const places: Replacement[] = [];
  let left = MAX_COMPARISONS;
  for (let at = 0; at + old.length <= lines.length && left > 0; at += 1) {
    const differing = old.findIndex(({ words }, index) => words !== lines[at + index]?.words);
    left -= differing < 0 ? old.length : differing + 1;
    if (differing >= 0) continue;
    const window = lines.slice(at, at + old.length);
    const place = replacementOf({ text, old, window, newText, wholeLines });
    if (place !== undefined) places.push(place);
  }
  return places;
}

function replacementOf(options: {
  text: string;
  old: readonly TextLine[];
  window: readonly TextLine[];
  newText: string;
  wholeLines: boolean;
}): Replacement | undefined {
  const { text, old, window, newText, wholeLines } = options;
  const first = window[0];
  const last = window.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (wholeLines && last.next === last.end) return undefined;
  const pairs: IndentPair[] = old.flatMap(({ indent, words }, index) =>
    words === "" ? [] : [{ old: indent, file: window[index]?.indent ?? "" }],
  );
  const lineEnd = lineEndOf(text.slice(first.start, last.next)) ?? lineEndOf(text) ?? "\n";
  const replacement = reindented(newText, reindenter(pairs), lineEnd);
  if (replacement === undefined) return undefined;
  return { start: first.start, end: wholeLines ? last.next : last.end, text: replacement };
}

function reindented(newText: string, reindent: Reindent | undefined, lineEnd: string): string | undefined {
  if (reindent === undefined) return undefined;
  const lines: string[] = [];
  for (const line of newText.split(/\r?\n/)) {
    const words = line.trimStart();
    const indent = words === "" ? "" : reindent(line.slice(0, line.length - words.length));
    if (indent === undefined) return undefined;
    lines.push(words === "" ? line : indent + words);
  }
  return lines.join(lineEnd);
}
