import type { EditableText } from "./editable-text.js";
import { findMatch, FORGIVING_MAX_LENGTH, replaceIn } from "./find-match.js";
import type { PassName } from "./find-match.js";
import { lineEndOf, lineNumberAt } from "./line-ends.js";
import { nearestPlace } from "./nearest-place.js";
import type { NearestPlace } from "./nearest-place.js";

/** One replacement that is wanted. */
export interface TextEdit {
  /** Empty: the file is empty, and is to be filled. */
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** What one edit did. */
export interface AppliedEdit {
  readonly pass: PassName;
  /** Line of the first place, from 1, in the text that the edit met. */
  readonly line: number;
  /** Places that were replaced. */
  readonly count: number;
  /** True if the file has CRLF, and the edit brought lines that end in LF. */
  readonly mixesLineEnds: boolean;
}

/** Why an edit cannot be made. */
export type EditProblem =
  | { readonly kind: "missing"; readonly nearest: NearestPlace | undefined; readonly exactOnly: boolean }
  | { readonly kind: "ambiguous"; readonly pass: PassName; readonly lines: readonly number[]; count: number }
  | { readonly kind: "inexpressible"; readonly field: "old_string" | "new_string" }
  | { readonly kind: "not_empty" }
  | { readonly kind: "no_change" };

/** What came of edits: all were made, or none. */
export type EditsOutcome =
  | { readonly text: string; readonly applied: readonly AppliedEdit[] }
  | { readonly problem: EditProblem; /** Index of the edit. */ readonly index: number };

/** Lines that an ambiguity names. */
const MAX_LINES_NAMED = 10;

/** Makes edits one after the other, each in what the ones before it left. The first that cannot be made ends it. */
export function applyEdits(file: EditableText, edits: readonly TextEdit[]): EditsOutcome {
  const applied: AppliedEdit[] = [];
  let { text } = file;
  for (const [index, edit] of edits.entries()) {
    const outcome = applyEdit(file, text, edit);
    if ("problem" in outcome) return { problem: outcome.problem, index };
    text = outcome.text;
    applied.push(outcome.applied);
  }
  return { text, applied };
}

type EditOutcome =
  { readonly text: string; readonly applied: AppliedEdit } | { readonly problem: EditProblem };

function applyEdit(file: EditableText, text: string, edit: TextEdit): EditOutcome {
  const oldText = file.express(edit.oldText);
  const newText = file.express(edit.newText);
  if (oldText === undefined) return { problem: { kind: "inexpressible", field: "old_string" } };
  if (newText === undefined) return { problem: { kind: "inexpressible", field: "new_string" } };
  if (oldText === "") return fill(text, newText);
  const isBound = file.bounds?.(text);
  const found = findMatch({ text, oldText, newText, replaceAll: edit.replaceAll, isBound });
  if (found.kind === "missing") {
    const exactOnly = text.length > FORGIVING_MAX_LENGTH;
    return { problem: { kind: "missing", nearest: nearestPlace(text, oldText), exactOnly } };
  }
  if (found.kind === "ambiguous") {
    const { pass, places } = found;
    const lines = places.slice(0, MAX_LINES_NAMED).map(({ start }) => lineNumberAt(text, start));
    return { problem: { kind: "ambiguous", pass, lines, count: places.length } };
  }
  const { pass, replacements } = found;
  const after = replaceIn(text, replacements);
  if (after === text) return { problem: { kind: "no_change" } };
  const [first] = replacements;
  return {
    text: after,
    applied: {
      pass,
      line: lineNumberAt(text, first?.start ?? 0),
      count: replacements.length,
      mixesLineEnds: lineEndOf(text) === "\r\n" && replacements.some((each) => hasBareLineFeed(each.text)),
    },
  };
}

function fill(text: string, newText: string): EditOutcome {
  if (text !== "") return { problem: { kind: "not_empty" } };
  return { text: newText, applied: { pass: "exact", line: 1, count: 1, mixesLineEnds: false } };
}

function hasBareLineFeed(text: string): boolean {
  return /(?<!\r)\n/.test(text);
}
