import { z } from "zod";
import { TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ReadLinesResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { toolError } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { sniffBinary, sniffPicture } from "../../text/sniff-media.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { pathFailure } from "./path-failure.js";
import { pictureResult } from "./picture-result.js";
import type { PreparePicture } from "./picture-result.js";
import { textFileResult } from "./text-file-result.js";

/** What read takes from outside. */
export interface ReadOptions {
  /** Makes a picture fit to be shown, in a child process. */
  readonly preparePicture: PreparePicture;
}

/** Lines that are read if the call sets no limit. */
const DEFAULT_LINES = 2000;
const MAX_LINES = 10_000;
/** Most bytes of one line, unless the call reads on inside it. */
const MAX_LINE_BYTES = 2000;
const MAX_WINDOW_BYTES = 1024 * 1024;

const input = z.strictObject({
  path: z
    .string()
    .min(1, "is empty; send the path of a file")
    .describe("File to read, absolute or relative to the workspace."),
  offset: z
    .number()
    .int("must be a whole number")
    .min(1, "must be 1 or more: lines are counted from 1")
    .max(2_147_483_647, "is too large for a line number")
    .optional()
    .describe("First line to read, counted from 1. Default 1."),
  limit: z
    .number()
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .optional()
    .describe(`Most lines to read. Default ${DEFAULT_LINES}, at most ${MAX_LINES}.`),
  line_offset: z
    .number()
    .int("must be a whole number")
    .min(0, "must be 0 or more")
    .optional()
    .describe("First byte to read inside the line `offset`, to go on in a line that was cut. Default 0."),
});

type ReadInput = z.infer<typeof input>;

/** The tool that reads one file. */
export function createRead(options: ReadOptions): AnyTool {
  return defineTool({
    name: "read",
    description:
      "Read a file of the project. Text comes with line numbers; long files are read in parts with offset and limit. " +
      "Pictures (PNG, JPEG, GIF, WebP) are shown. For directories and binary files use other tools.",
    input,
    effect: "read",
    limits: { defaultMs: 30_000, maxMs: 60_000 },
    needs: ["workspace", "views"],
    run: (parsed, context) => runRead(parsed, context, options),
  });
}

async function runRead(
  request: ReadInput,
  context: ToolContext<"workspace" | "views">,
  { preparePicture }: ReadOptions,
): Promise<ToolResult> {
  const { path, offset = 1, line_offset: lineOffset } = request;
  const { files } = context.workspace;
  const inLine = lineOffset !== undefined;
  const budgetBytes = Math.min(context.text.maxBytes, MAX_WINDOW_BYTES);
  try {
    const window = await files.readLines({
      path,
      firstLine: offset,
      maxLines: inLine ? 1 : Math.min(request.limit ?? DEFAULT_LINES, MAX_LINES),
      maxBytes: budgetBytes,
      maxLineBytes: inLine ? Math.max(1, budgetBytes - 512) : Math.min(MAX_LINE_BYTES, budgetBytes),
      ...(inLine ? { lineOffsetBytes: lineOffset } : {}),
      signal: context.signal,
    });
    if (window.info !== undefined) context.views.record(window.info.path, window.info.version);
    const picture = sniffPicture(window.head);
    if (picture !== undefined && picture !== "svg") {
      return await pictureResult({ path, format: picture, files, preparePicture, signal: context.signal });
    }
    if (window.layout === TextLayout.BINARY) return binaryFile(path, window);
    return textFileResult(window, { path, offset, lineOffset, budgetBytes });
  } catch (error) {
    if (error instanceof AgentFailure) return pathFailure("read", path, error) ?? fail(error);
    throw error;
  }
}

function fail(error: AgentFailure): never {
  throw error;
}

function binaryFile(path: string, { info, head }: ReadLinesResponse): ToolResult {
  const kind = sniffBinary(head);
  const size = `${info?.sizeBytes ?? 0n} bytes`;
  return toolError({
    code: "read.binary",
    message: `${JSON.stringify(path)} is a binary file (${kind === undefined ? size : `${kind}, ${size}`}), not text.`,
    hint: "Look at it with a program, such as file, strings or xxd.",
  });
}
