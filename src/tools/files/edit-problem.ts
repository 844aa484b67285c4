import { toolError } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import type { EditProblem, TextEdit } from "../../text/apply-edits.js";
import type { EditableText } from "../../text/editable-text.js";
import { neutralise } from "../../text/neutralise.js";
import { numberLine } from "../../text/number-lines.js";
import type { NearestPlace } from "../../text/nearest-place.js";

const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_LENGTH = 200;

/** What an edit was to change. */
export interface EditTarget {
  readonly path: string;
  readonly file: EditableText;
  readonly edits: readonly TextEdit[];
}

/** The error for an edit that cannot be made. Nothing was changed. */
export function editProblem(problem: EditProblem, index: number, target: EditTarget): ToolResult {
  const { path, file, edits } = target;
  const shown = JSON.stringify(path.slice(0, 300));
  const which = edits.length === 1 ? "" : ` of edit ${index + 1}`;
  const nothing = edits.length === 1 ? "" : " None of the edits was made.";
  switch (problem.kind) {
    case "missing":
      return toolError({
        code: "edit.text_not_found",
        message: `old_string${which} is not in ${shown}.${nothing}${nearestText(problem.nearest, file)}`,
        hint: missingHint(edits[index]?.oldText ?? "", problem.exactOnly),
      });
    case "ambiguous":
      return toolError({
        code: "edit.ambiguous",
        message:
          `old_string${which} is in ${shown} in ${problem.count} places` +
          `${problem.pass === "exact" ? "" : ` if ${problem.pass} are overlooked`}: ${linesText(problem)}.${nothing}`,
        hint: "Add lines around the place to old_string, or set replace_all to change every exact place.",
      });
    case "inexpressible":
      return toolError({
        code: "edit.encoding",
        message:
          `${shown} is not in UTF-8 but, as far as can be told, in ${file.encoding}; ${problem.field}${which} has ` +
          `characters outside of ASCII, which might be written wrongly.${nothing}`,
        hint: "Send ASCII text only, or convert the file to UTF-8 first, such as with iconv.",
      });
    case "not_empty":
      return toolError({
        code: "edit.not_empty",
        message: `old_string${which} is empty, but ${shown} is not.${nothing}`,
        hint: "Send the text to replace, or use write to replace the whole file.",
      });
    case "no_change":
      return toolError({
        code: "edit.no_change",
        message: `The place of old_string${which} in ${shown} already has the text of new_string.${nothing}`,
      });
  }
}

function linesText({ lines, count }: { lines: readonly number[]; count: number }): string {
  const more = count > lines.length ? ` and ${count - lines.length} more` : "";
  return `lines ${lines.join(", ")}${more}`;
}

function nearestText(nearest: NearestPlace | undefined, file: EditableText): string {
  if (nearest === undefined) return " Nothing in the file is like it.";
  const { firstLine, lines } = nearest;
  const rows = lines.slice(0, MAX_SHOWN_LINES).map((line, index) => {
    const text = file.show(line.slice(0, MAX_SHOWN_LENGTH)).replaceAll("\r", "\\r");
    const rest = line.length > MAX_SHOWN_LENGTH ? "…" : "";
    return numberLine(firstLine + index, neutralise(text) + rest);
  });
  const more = lines.length > rows.length ? `\n… [${lines.length - rows.length} more lines]` : "";
  return ` The nearest place is:\n${rows.join("\n")}${more}`;
}

function missingHint(oldText: string, exactOnly: boolean): string {
  if (/^\s*\d+\t/.test(oldText)) return "Send the text without the line numbers that read shows.";
  const exact = exactOnly ? " In a file of this size the text must match exactly." : "";
  return `Read the place again and copy the text as it stands there.${exact}`;
}
