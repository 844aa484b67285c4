import { findExact } from "./find-exact.js";
import { findFolded } from "./find-folded.js";
import { findIndented } from "./find-indented.js";
import { foldLineEnds, foldPunctuation, foldTrailingSpace } from "./fold-text.js";

/** What a pass of the search overlooks. */
export type PassName = "exact" | "line endings" | "trailing whitespace" | "indentation" | "quotes and dashes";

/** A place of the text and what is to stand there. */
export interface Replacement {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly text: string;
}

/** What is searched, and what is to replace it. */
export interface MatchRequest {
  readonly text: string;
  /** Not empty. */
  readonly oldText: string;
  readonly newText: string;
  /** Replace every exact match. */
  readonly replaceAll: boolean;
  /** Where characters of the text begin. Undefined: everywhere. */
  readonly isBound: ((index: number) => boolean) | undefined;
}

/** The places that a pass found, in order, with what is to stand there. */
export type FindPass = (request: MatchRequest) => readonly Replacement[];

/** What came of a search. */
export type MatchOutcome =
  | { readonly kind: "found"; readonly pass: PassName; readonly replacements: readonly Replacement[] }
  | { readonly kind: "ambiguous"; readonly pass: PassName; readonly places: readonly Replacement[] }
  | { readonly kind: "missing" };

/** Largest text, in UTF-16 units, in which differences are overlooked. */
export const FORGIVING_MAX_LENGTH = 1024 * 1024;

const FORGIVING_PASSES: readonly (readonly [name: PassName, find: FindPass])[] = [
  ["line endings", (request) => findFolded(request, foldLineEnds)],
  ["trailing whitespace", (request) => findFolded(request, foldTrailingSpace)],
  ["indentation", findIndented],
  ["quotes and dashes", (request) => findFolded(request, foldPunctuation)],
];

/**
 * Finds a text: exactly, else with ever larger differences overlooked. The first pass that finds anything decides. Only
 * the exact pass may replace more than one place.
 */
export function findMatch(request: MatchRequest): MatchOutcome {
  const exact = findExact(request);
  if (exact.length > 0) return decide("exact", exact, request.replaceAll);
  if (request.text.length > FORGIVING_MAX_LENGTH || request.isBound !== undefined) return { kind: "missing" };
  for (const [pass, find] of FORGIVING_PASSES) {
    const places = find(request);
    if (places.length > 0) return decide(pass, places, false);
  }
  return { kind: "missing" };
}

function decide(pass: PassName, places: readonly Replacement[], mayRepeat: boolean): MatchOutcome {
  if (places.length > 1 && !mayRepeat) return { kind: "ambiguous", pass, places };
  return { kind: "found", pass, replacements: places };
}

/** The text with the replacements made. They are in order and do not overlap. */
export function replaceIn(text: string, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of replacements) {
    pieces.push(text.slice(at, start), replacement);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}
