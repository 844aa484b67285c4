import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { WriteFileResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { toolError } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { applyEdits } from "../../text/apply-edits.js";
import { sniffBinary } from "../../text/sniff-media.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { editInput, editsOf } from "./edit-input.js";
import type { EditInput } from "./edit-input.js";
import { editProblem } from "./edit-problem.js";
import { editResult } from "./edit-result.js";
import { loadEditable, MAX_EDITED_BYTES } from "./load-editable.js";
import type { LoadedFile } from "./load-editable.js";
import { pathFailure } from "./path-failure.js";

/** How often an edit is made again because the file changed meanwhile. */
const MAX_RETRIES = 5;

/** The tool that changes parts of a file. */
export const edit: AnyTool = defineTool({
  name: "edit",
  description:
    "Replace text in a file; everything else in it stays byte for byte. old_string is searched exactly first. If it is " +
    "not there, these differences are overlooked, one after the other, as long as one place matches: line endings (LF " +
    "for CRLF), whitespace at the end of lines, indentation (the new lines are indented as the file is), typographic " +
    "quotes and dashes. The result says where and how it matched and shows a diff. Several edits can be made in one " +
    "call. An empty old_string fills a file that is empty or does not exist. A file that changed since the session last " +
    `read it is refused: read it again. Files up to ${MAX_EDITED_BYTES / 1024 / 1024} MiB.`,
  input: editInput,
  effect: "write",
  limits: { defaultMs: 60_000, maxMs: 120_000 },
  needs: ["workspace", "views"],
  run: runEdit,
});

type EditContext = ToolContext<"workspace" | "views">;

async function runEdit(input: EditInput, context: EditContext): Promise<ToolResult> {
  try {
    for (let retry = 0; retry <= MAX_RETRIES; retry += 1) {
      const result = await tryEdit(input, context);
      if (result !== "changed") return result;
    }
    return toolError({
      code: "edit.conflict",
      retryable: true,
      message: `${shownPath(input)} was changed by others each of ${MAX_RETRIES + 1} times that the edit was made; it was not written.`,
      hint: "Read it again, then try again.",
    });
  } catch (error) {
    const result = error instanceof AgentFailure ? pathFailure("edit", input.path, error) : undefined;
    if (result === undefined) throw error;
    return result;
  }
}

/** Makes the edits on the file as it is. `changed` if it had another version when it was to be written. */
async function tryEdit(input: EditInput, context: EditContext): Promise<ToolResult | "changed"> {
  const { path } = input;
  const { workspace, views, signal } = context;
  const edits = editsOf(input);
  const mayBeMissing = edits[0]?.oldText === "";
  const loaded = await loadEditable(workspace.files, { path, mayBeMissing, signal });
  if (loaded === "changed") return "changed";
  if ("binary" in loaded) return binaryFile(input, loaded);
  if (await hasChangedSinceRead(loaded, context)) return changedSinceRead(input);
  const { file } = loaded;
  const outcome = applyEdits(file, edits);
  if ("problem" in outcome) return editProblem(outcome.problem, outcome.index, { path, file, edits });
  const data = file.encode(outcome.text);
  if (data.length > MAX_EDITED_BYTES) return tooLarge(input, data.length);
  context.begin();
  const response = await views.change(() => writeBack(data, { loaded, path, context }));
  if (response === "changed") return "changed";
  const { text: after, applied } = outcome;
  const { hasSession } = views;
  return editResult({
    path,
    file,
    after,
    applied,
    response,
    hasSession,
    maxTextBytes: context.text.maxBytes,
  });
}

async function writeBack(
  data: Uint8Array,
  { loaded, path, context }: { loaded: LoadedFile; path: string; context: EditContext },
): Promise<WriteFileResponse | "changed"> {
  const { workspace, views, signal } = context;
  const condition = loaded.version === undefined ? { mustCreate: true } : { ifVersion: loaded.version };
  try {
    const response = await workspace.files.writeFile({ path, data, ...condition, signal });
    if (response.info !== undefined) views.record(response.info.path, response.info.version);
    return response;
  } catch (error) {
    if (error instanceof AgentFailure && error.detail.kind === ErrorKind.CONFLICT) return "changed";
    throw error;
  }
}

/** True if somebody else changed the file. What another edit of the session has just made may not be recorded yet. */
async function hasChangedSinceRead({ path, version }: LoadedFile, { views }: EditContext): Promise<boolean> {
  if (path === undefined) return false;
  const isOther = () => {
    const seen = views.seen(path);
    return seen !== undefined && seen !== version;
  };
  if (!isOther()) return false;
  await views.settled();
  return isOther();
}

function changedSinceRead(input: EditInput): ToolResult {
  return toolError({
    code: "edit.changed_since_read",
    message: `${shownPath(input)} has changed since this session last read it; it was not edited.`,
    hint: "Read it again, then make the edit on what it has become.",
  });
}

function binaryFile(
  input: EditInput,
  { head, sizeBytes }: { head: Uint8Array; sizeBytes: bigint },
): ToolResult {
  const kind = sniffBinary(head);
  const size = `${sizeBytes} bytes`;
  return toolError({
    code: "edit.binary",
    message: `${shownPath(input)} is a binary file (${kind === undefined ? size : `${kind}, ${size}`}), not text.`,
    hint: "Change it by a program.",
  });
}

function tooLarge(input: EditInput, bytes: number): ToolResult {
  return toolError({
    code: "edit.too_large",
    message: `${shownPath(input)} would have ${bytes} bytes, above the limit of ${MAX_EDITED_BYTES} bytes.`,
    hint: "Change it by a program, such as sed.",
  });
}

function shownPath({ path }: EditInput): string {
  return JSON.stringify(path.slice(0, 300));
}
