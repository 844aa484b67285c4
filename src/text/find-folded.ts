import type { MatchRequest, Replacement } from "./find-match.js";
import type { Fold, FoldedText } from "./fold-text.js";
import { lineEndOf, withLineEnd } from "./line-ends.js";

/**
 * The places where the text stands if both are folded. Of the old text only what the new one changes is replaced, so that
 * what was overlooked stays as it is; new line ends are those of the place, or of the file.
 */
export function findFolded({ text, oldText, newText }: MatchRequest, fold: Fold): Replacement[] {
  const inFile = fold(text);
  const old = fold(oldText);
  if (old.text === "" || (old.text.trim() === "" && /[^\r\n]/.test(oldText))) return [];
  const folded = fold(newText);
  const endsLine = /[ \t]$/.test(oldText) && !/[ \t]$/.test(old.text);
  const places: Replacement[] = [];
  for (let at = inFile.text.indexOf(old.text); at >= 0; at = inFile.text.indexOf(old.text, at + 1)) {
    const after = inFile.text[at + old.text.length];
    if (endsLine && after !== undefined && after !== "\n") continue;
    places.push(replacementAt(at, { text, newText, inFile, old: old.text, folded }));
    if (places.length >= MAX_PLACES) break;
  }
  return places;
}

/** Places beyond this many are not looked for: two are too many already. */
const MAX_PLACES = 100;

interface FoldedSearch {
  readonly text: string;
  readonly newText: string;
  readonly inFile: FoldedText;
  readonly old: string;
  /** The new text, folded. */
  readonly folded: FoldedText;
}

function replacementAt(at: number, search: FoldedSearch): Replacement {
  const { text, newText, inFile, old, folded } = search;
  const start = inFile.startOf(at);
  const end = inFile.endOf(at + old.length - 1);
  const lineEnd = lineEndOf(text.slice(start, end)) ?? lineEndOf(text) ?? "\n";
  const { prefix, suffix } = commonEnds(old, folded.text);
  const from = at + prefix;
  const to = at + old.length - suffix;
  const keepStart = prefix === 0 ? start : inFile.endOf(from - 1);
  const narrowStart = from < to && prefix === 0 ? inFile.startOf(from) : keepStart;
  const narrowEnd = from < to ? inFile.endOf(to - 1) : narrowStart;
  const newStart = prefix === 0 ? 0 : folded.endOf(prefix - 1);
  const newEnd = suffix === 0 ? newText.length : folded.startOf(folded.text.length - suffix);
  const middle = newText.slice(newStart, newEnd);
  if (narrowStart === narrowEnd && middle === "") return { start, end, text: withLineEnd(newText, lineEnd) };
  return { start: narrowStart, end: narrowEnd, text: withLineEnd(middle, lineEnd) };
}

/** How many units two texts share at their starts and, of the rest, at their ends. Characters are not divided. */
function commonEnds(a: string, b: string): { prefix: number; suffix: number } {
  const most = Math.min(a.length, b.length);
  let prefix = 0;
  while (prefix < most && a[prefix] === b[prefix]) prefix += 1;
  if (prefix > 0 && isHigh(a.charCodeAt(prefix - 1))) prefix -= 1;
  let suffix = 0;
  while (suffix < most - prefix && a[a.length - 1 - suffix] === b[b.length - 1 - suffix]) suffix += 1;
  if (suffix > 0 && isLow(a.charCodeAt(a.length - suffix))) suffix -= 1;
  return { prefix, suffix };
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
