import { z } from "zod";
import type { ToolResult } from "../../domain/tool-result.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { countInput, flagInput, pathInput, patternInput } from "./common-input.js";
import { grepContent } from "./grep-content.js";
import { grepFiles } from "./grep-files.js";
import { fileFilter } from "./file-filter.js";
import type { GrepQuery } from "./grep-query.js";
import { searchPlace } from "./search-place.js";
import { orRefusal } from "./search-refused.js";

/** Matches or files that a search shows unless the call says otherwise. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_CONTEXT_LINES = 50;

const contextInput = (where: string) =>
  countInput({
    min: 0,
    max: MAX_CONTEXT_LINES,
    description: `Lines to show ${where} each match. Default 0.`,
  });

const input = z.strictObject({
  pattern: patternInput("Regular expression (Rust syntax), or plain text with `literal`."),
  path: pathInput(
    "File or directory to search, absolute or relative to the workspace. Default: the workspace.",
  ),
  mode: z
    .enum(["content", "files", "count"])
    .optional()
    .describe("`content` shows matching lines (default), `files` names of files, `count` lines per file."),
  glob: patternInput(
    "Only files whose path matches, such as `*.ts` or `src/**/*.{js,ts}`; `!*.md` for all others.",
  ).optional(),
  type: z
    .string()
    .regex(/^[\w-]{1,40}$/, "must be the name of a file type, such as js, py or rust")
    .optional()
    .describe("Only files of a type that ripgrep knows, such as js, py, rust, go, java, md."),
  ignore_case: flagInput("Take upper and lower case as equal. Default false."),
  literal: flagInput("Take the pattern as plain text. Default false."),
  multiline: flagInput("Let a match span lines; `.` then also matches line ends. Default false."),
  context: contextInput("before and after"),
  before: contextInput("before"),
  after: contextInput("after"),
  ignored: flagInput("Search also what ignore files such as .gitignore leave out. Default false."),
  limit: countInput({
    min: 1,
    max: MAX_LIMIT,
    description: `Most matches, or files, to show. Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}.`,
  }),
  offset: countInput({
    min: 0,
    max: 1_000_000,
    description: "Matches, or files, to pass over first, to go on after a limited result. Default 0.",
  }),
});

type GrepInput = z.infer<typeof input>;

/** The tool that searches in files. */
export const grep: AnyTool = defineTool({
  name: "grep",
  description:
    "Search the text of the project's files with ripgrep. Results are grouped by file, with line numbers. Hidden " +
    "files are searched, .git is not; what ignore files exclude is left out and named, unless `path` names it or " +
    "`ignored` is set. Symbolic links are followed only if `path` names them. Long lines are shown around the match.",
  input,
  effect: "read",
  limits: { defaultMs: 30_000, maxMs: 60_000 },
  needs: ["workspace"],
  run: (parsed, context) => orRefusal(() => runGrep(parsed, context)),
});

async function runGrep(request: GrepInput, context: ToolContext<"workspace">): Promise<ToolResult> {
  const { pattern, glob, type, mode = "content" } = request;
  const place = await searchPlace(request.path ?? ".", { tool: "grep", context });
  const filter = fileFilter("grep", {
    ...(glob === undefined ? {} : { glob }),
    ...(type === undefined ? {} : { type }),
  });
  const query: GrepQuery = {
    pattern,
    place,
    filter,
    arguments: [...patternArguments(request), ...filter.arguments],
    ignored: request.ignored ?? false,
    limit: request.limit ?? DEFAULT_LIMIT,
    offset: request.offset ?? 0,
  };
  if (mode !== "content") return grepFiles(query, { context, counts: mode === "count" });
  const { before = request.context ?? 0, after = request.context ?? 0 } = request;
  return grepContent(query, { context, before, after });
}

function patternArguments({ pattern, ignore_case, literal, multiline }: GrepInput): string[] {
  return [
    `--regexp=${pattern}`,
    ignore_case === true ? "--ignore-case" : "--case-sensitive",
    "--binary",
    "--crlf",
    "--sort=path",
    ...(literal === true ? ["--fixed-strings"] : []),
    ...(multiline === true ? ["--multiline", "--multiline-dotall"] : []),
  ];
}
