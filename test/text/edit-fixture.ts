import { applyEdits } from "../../src/text/apply-edits.js";
import type { EditProblem, EditsOutcome, TextEdit } from "../../src/text/apply-edits.js";
import { openEditable } from "../../src/text/editable-text.js";
import type { TextLayout } from "../../src/text/text-decoding.js";

/** How the bytes of a test's file lie. */
export interface FileShape {
  readonly layout?: TextLayout;
  readonly bomBytes?: number;
}

/** What edits come to on a file, with the bytes if they were made. */
export function editBytes(
  data: Uint8Array,
  edits: readonly TextEdit[],
  { layout = "bytes", bomBytes = 0 }: FileShape = {},
): EditsOutcome & { readonly bytes?: Buffer } {
  const file = openEditable({ data, layout, bomBytes });
  const outcome = applyEdits(file, edits);
  return "problem" in outcome ? outcome : { ...outcome, bytes: Buffer.from(file.encode(outcome.text)) };
}

/** One edit. */
export function edit(oldText: string, newText: string, replaceAll = false): TextEdit {
  return { oldText, newText, replaceAll };
}

/** The text after edits of a UTF-8 text, with the pass of the last one; or the problem. */
export function edited(
  text: string,
  ...edits: readonly TextEdit[]
): { readonly text: string; readonly pass: string } | EditProblem {
  const outcome = editBytes(Buffer.from(text), edits);
  if ("problem" in outcome) return outcome.problem;
  return { text: outcome.text, pass: outcome.applied.at(-1)?.pass ?? "none" };
}
