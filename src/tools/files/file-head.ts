import { TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { FileInfo } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { TextLayout as LayoutName } from "../../text/text-decoding.js";
import type { WorkspaceFiles } from "../../workspace/workspace.js";

/** What the first bytes of a file say of it. */
export interface FileHead {
  readonly info: FileInfo;
  readonly layout: LayoutName | "binary";
  /** Bytes of the byte order mark: 0, 2 or 3. */
  readonly bomBytes: number;
  /** The first bytes. */
  readonly bytes: Uint8Array;
}

const LAYOUTS: Readonly<Partial<Record<TextLayout, FileHead["layout"]>>> = {
  [TextLayout.BYTES]: "bytes",
  [TextLayout.UTF16LE]: "utf16le",
  [TextLayout.UTF16BE]: "utf16be",
};

/** Looks at the start of a file. Rejects with AgentFailure, SandboxLost. */
export async function readFileHead(
  files: WorkspaceFiles,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<FileHead> {
  const limits = { firstLine: 1, maxLines: 1, maxBytes: 1, maxLineBytes: 1 };
  const { info, layout, bomBytes, head } = await files.readLines({ path, ...limits, signal });
  if (info === undefined) throw new Error("the agent read a file without saying what it is");
  return { info, layout: LAYOUTS[layout] ?? "binary", bomBytes, bytes: head };
}
