import { z } from "zod";
import type { TextEdit } from "../../text/apply-edits.js";
import { filePathInput, fileTextInput } from "./file-text-input.js";

/** Most edits of one call. */
const MAX_EDITS = 200;

const oldString = fileTextInput(
  "Text to replace, as it stands in the file, without line numbers. It must stand in one place only, unless replace_all " +
    "is set. Empty only to fill an empty or missing file.",
);
const newString = fileTextInput("Text to put in its place, taken literally.");
const replaceAll = z.boolean().describe("Replace every place where the text stands exactly. Default false.");

const oneEdit = z.strictObject({
  old_string: oldString,
  new_string: newString,
  replace_all: replaceAll.optional(),
});

/** The arguments of edit: one edit, or a list. */
export const editInput = z
  .strictObject({
    path: filePathInput("File to edit, absolute or relative to the workspace."),
    old_string: oldString.optional(),
    new_string: newString.optional(),
    replace_all: replaceAll.optional(),
    edits: z
      .array(oneEdit)
      .min(1, "is empty; send at least one edit")
      .max(MAX_EDITS, `has more than ${MAX_EDITS} edits; send several calls`)
      .optional()
      .describe(
        "Several edits instead of old_string and new_string. Each meets what the ones before it left; all are made, or none.",
      ),
  })
  .superRefine((value, context) => {
    for (const issue of issuesOf(value)) context.addIssue({ code: "custom", ...issue });
  });

/** The parsed arguments of edit. */
export type EditInput = z.infer<typeof editInput>;

/** The edits of a call, in either form. */
export function editsOf({ old_string, new_string, replace_all, edits }: EditInput): TextEdit[] {
  const list = edits ?? [{ old_string: old_string ?? "", new_string: new_string ?? "", replace_all }];
  return list.map((edit) => ({
    oldText: edit.old_string,
    newText: edit.new_string,
    replaceAll: edit.replace_all ?? false,
  }));
}

function issuesOf(value: EditInput): { path: (string | number)[]; message: string }[] {
  const { old_string: oldText, new_string: newText, replace_all: all, edits } = value;
  if (edits === undefined) {
    if (oldText === undefined) return [{ path: ["old_string"], message: "is missing; or send edits" }];
    if (newText === undefined) return [{ path: ["new_string"], message: "is missing" }];
    return oldText === newText ? [{ path: ["new_string"], message: SAME }] : [];
  }
  if (oldText !== undefined || newText !== undefined || all !== undefined)
    return [
      {
        path: ["edits"],
        message: "is sent together with old_string, new_string or replace_all; send one form",
      },
    ];
  return edits.flatMap((edit, index) =>
    edit.old_string === edit.new_string ? [{ path: ["edits", index, "new_string"], message: SAME }] : [],
  );
}

const SAME = "is equal to old_string, so nothing would change";
