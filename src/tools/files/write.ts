import { z } from "zod";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { WriteFileResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { readFileHead } from "./file-head.js";
import type { FileHead } from "./file-head.js";
import { filePathInput, fileTextInput } from "./file-text-input.js";
import { pathFailure } from "./path-failure.js";

const BYTE_ORDER_MARK = "\ufeff";

const input = z.strictObject({
  path: filePathInput("File to write, absolute or relative to the workspace. Parent directories are made."),
  content: fileTextInput("The whole content, written as UTF-8 exactly as it is sent."),
});

/** The tool that gives a file a whole new content. */
export const write: AnyTool = defineTool({
  name: "write",
  description:
    "Create a file, or replace the whole content of one. Every byte is written as sent: nothing is decoded, and no line " +
    "end is added. Readers see the old content or the new, never a part. The permissions of a replaced file and a byte " +
    "order mark at its start stay; a symbolic link stays and its target is written. To change a part of a file, use edit.",
  input,
  effect: "write",
  rerunSafe: true,
  limits: { defaultMs: 60_000, maxMs: 120_000 },
  needs: ["workspace", "views"],
  run: runWrite,
});

async function runWrite(
  { path, content }: z.infer<typeof input>,
  context: ToolContext<"workspace" | "views">,
): Promise<ToolResult> {
  const { workspace, views, signal } = context;
  try {
    const head = await headOfExisting(context, path);
    const keepsMark = head?.bomBytes === 3 && !content.startsWith(BYTE_ORDER_MARK);
    const data = Buffer.from(keepsMark ? BYTE_ORDER_MARK + content : content, "utf8");
    context.begin();
    const response = await views.change(async () => {
      const made = await workspace.files.writeFile({ path, data, signal });
      if (made.info !== undefined) views.record(made.info.path, made.info.version);
      return made;
    });
    return written(path, { response, head, keepsMark, sizeBytes: data.length });
  } catch (error) {
    const result = error instanceof AgentFailure ? pathFailure("write", path, error) : undefined;
    if (result === undefined) throw error;
    return result;
  }
}

/** The start of the file that will be replaced. Undefined if there is none, or if it may be written but not read. */
async function headOfExisting(
  { workspace, signal }: ToolContext<"workspace">,
  path: string,
): Promise<FileHead | undefined> {
  try {
    return await readFileHead(workspace.files, { path, signal });
  } catch (error) {
    const kind = error instanceof AgentFailure ? error.detail.kind : undefined;
    if (kind !== ErrorKind.NOT_FOUND && kind !== ErrorKind.PERMISSION) throw error;
    return undefined;
  }
}

function written(
  path: string,
  options: {
    response: WriteFileResponse;
    head: FileHead | undefined;
    keepsMark: boolean;
    sizeBytes: number;
  },
): ToolResult {
  const { response, head, keepsMark, sizeBytes } = options;
  const { created, previousBytes, info, workspacePath } = response;
  const shown = JSON.stringify(path);
  const size = `${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}`;
  const notices = [
    ...(keepsMark ? ["the byte order mark at the start of the file was kept"] : []),
    ...(head?.layout === "utf16le" || head?.layout === "utf16be"
      ? ["the file was in UTF-16 before and is in UTF-8 now"]
      : []),
  ];
  return {
    ...textResult(
      created ? `Created ${shown}: ${size}.` : `Replaced ${shown}: ${size}, ${previousBytes} before.`,
      {
        structured: {
          kind: "write",
          path: workspacePath === "" ? (info?.path ?? path) : workspacePath,
          created,
          size_bytes: sizeBytes,
          previous_bytes: created ? null : Number(previousBytes),
          bom_kept: keepsMark,
        },
      },
    ),
    changes: [{ path: info?.path ?? path, kind: created ? "created" : "modified" }],
    ...(notices.length === 0 ? {} : { notices }),
  };
}
