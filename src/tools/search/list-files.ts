import { z } from "zod";
import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { pathFailure } from "../files/path-failure.js";
import { countInput, flagInput, pathInput } from "./common-input.js";
import { SearchRefused, orRefusal } from "./search-refused.js";
import { inWorkspace } from "./search-place.js";
import { treeResult } from "./tree-result.js";

const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 20;
/** Entries that are shown unless the call says otherwise. */
const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 5000;

const input = z.strictObject({
  path: pathInput("Directory to list, absolute or relative to the workspace. Default: the workspace."),
  depth: countInput({
    min: 1,
    max: MAX_DEPTH,
    description: `Levels of directories to show. Default ${DEFAULT_DEPTH}, at most ${MAX_DEPTH}.`,
  }),
  hidden: flagInput("List also names that begin with a dot. Default false."),
  ignored: flagInput("List also what ignore files such as .gitignore leave out. Default false."),
  limit: countInput({
    min: 1,
    max: MAX_LIMIT,
    description: `Most entries to show. Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}.`,
  }),
});

/** The tool that lists directories. */
export const listFiles: AnyTool = defineTool({
  name: "list_files",
  description:
    "List a directory of the project as a tree, with the sizes of files. What ignore files exclude and names with a " +
    "leading dot are left out unless asked for. Symbolic links are shown with their targets and not followed.",
  input,
  effect: "read",
  limits: { defaultMs: 30_000, maxMs: 60_000 },
  needs: ["workspace"],
  run: (parsed, context) => orRefusal(() => runListFiles(parsed, context)),
});

async function runListFiles(
  request: z.infer<typeof input>,
  { workspace, signal, text }: ToolContext<"workspace">,
): Promise<ToolResult> {
  const {
    path = ".",
    depth = DEFAULT_DEPTH,
    limit = DEFAULT_LIMIT,
    hidden = false,
    ignored = false,
  } = request;
  const place = inWorkspace(path, workspace.root);
  try {
    const listing = await workspace.files.listTree({
      ...{ path: place === "" ? "." : place, depth, hidden, ignored, signal },
      maxEntries: limit,
    });
    return treeResult(listing, { shown: place === "" ? "." : place, maxBytes: text.maxBytes, depth });
  } catch (error) {
    if (signal.aborted) return textResult("(the listing was stopped before its end)");
    const failure = error instanceof AgentFailure ? pathFailure("list_files", path, error) : undefined;
    throw failure === undefined ? error : new SearchRefused(failure);
  }
}
