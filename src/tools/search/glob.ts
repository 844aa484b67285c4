import { z } from "zod";
import type { ToolResult } from "../../domain/tool-result.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { countInput, flagInput, pathInput, patternInput } from "./common-input.js";
import { pathPattern } from "./file-filter.js";
import { GlobCollector } from "./glob-collector.js";
import { globTarget } from "./glob-target.js";
import type { GlobTarget } from "./glob-target.js";
import { nothingMatches } from "./glob-nothing.js";
import { globResult } from "./glob-result.js";
import { newestFirst } from "./modification-times.js";
import type { DatedPath } from "./modification-times.js";
import type { PathPattern } from "./path-pattern.js";
import { runRipgrep } from "./ripgrep.js";
import { searchPlace } from "./search-place.js";
import { orRefusal, refused } from "./search-refused.js";

/** Files that are shown unless the call says otherwise. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 2000;

const input = z.strictObject({
  pattern: patternInput(
    "Pattern of paths, such as `*.ts` (any depth), `src/**/*.{js,ts}` or `docs/[a-c]*.md`. May be absolute.",
  ),
  path: pathInput("Directory that the pattern is relative to. Default: the workspace."),
  hidden: flagInput("Let wildcards match names that begin with a dot. Default false."),
  ignored: flagInput("Also files that ignore files such as .gitignore leave out. Default false."),
  limit: countInput({
    min: 1,
    max: MAX_LIMIT,
    description: `Most files to show. Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}.`,
  }),
});

type GlobInput = z.infer<typeof input>;

/** The tool that finds files by their names. */
export const glob: AnyTool = defineTool({
  name: "glob",
  description:
    "Find files of the project by a pattern of their paths, newest first. What ignore files exclude is left out, and " +
    "so are .git and names with a leading dot that the pattern does not name. Symbolic links are followed only where " +
    "the pattern or `path` names them without a wildcard: `docs/*.md` looks behind a link `docs`, `**/*.md` does not.",
  input,
  effect: "read",
  limits: { defaultMs: 30_000, maxMs: 60_000 },
  needs: ["workspace"],
  run: (parsed, context) => orRefusal(() => runGlob(parsed, context)),
});

async function runGlob(request: GlobInput, context: ToolContext<"workspace">): Promise<ToolResult> {
  const { pattern, path = ".", hidden = false, limit = DEFAULT_LIMIT } = request;
  const target = globTarget(pattern, path);
  const parsed = pathPattern("glob", target.rest);
  const place = await searchPlace(target.base, { tool: "glob", context });
  if (!place.isDirectory) throw notDirectory(target);
  const search = async (ignored: boolean) => {
    const collector = new GlobCollector({ pattern: parsed, start: place.argument, hidden });
    const end = await runRipgrep(context, {
      ...{ tool: "glob", name: ignored ? "all" : "search", place: place.argument, separator: 0, ignored },
      arguments: ["--files", "--null", ...depthArguments(parsed)],
      onRecord: (record) => collector.hear(record),
    });
    return { collector, end };
  };
  let found = await search(request.ignored ?? false);
  const isWhollyIgnored =
    found.collector.seen === 0 && found.end.notes.ignoredCount > 0 && !place.isWorkspace;
  if (isWhollyIgnored && !context.signal.aborted) found = await search(true);
  const notices = isWhollyIgnored
    ? [`ignore rules leave out all of ${place.shown}; it was searched all the same`]
    : [];
  if (found.collector.matched === 0) return nothingMatches({ ...found, pattern, target, place, context });
  const dated = await datedFiles(found.collector, context);
  return { ...globResult({ ...found, dated, limit, maxBytes: context.text.maxBytes }), notices };
}

/** One level more than the pattern needs, to see directories that it takes by the files in them. */
function depthArguments({ maxDepth }: PathPattern): string[] {
  return maxDepth === undefined ? [] : [`--max-depth=${maxDepth + 1}`];
}

async function datedFiles(
  { files }: GlobCollector,
  context: ToolContext<"workspace">,
): Promise<readonly DatedPath[]> {
  try {
    return await newestFirst(files, context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return files.map((path) => ({ path, modifiedSeconds: 0, sizeBytes: 0 }));
  }
}

function notDirectory({ base }: GlobTarget) {
  return refused({
    code: "glob.not_directory",
    message: `${JSON.stringify(base.slice(0, 300))} is a file, so nothing can be found below it.`,
    hint: "Use read to look at it.",
  });
}
