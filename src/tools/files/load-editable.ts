import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { openEditable } from "../../text/editable-text.js";
import type { EditableText } from "../../text/editable-text.js";
import type { WorkspaceFiles } from "../../workspace/workspace.js";
import { readFileHead } from "./file-head.js";

/** Largest file that edit changes, in bytes. */
export const MAX_EDITED_BYTES = 16 * 1024 * 1024;

/** A file to edit, as it was at one version. */
export interface LoadedFile {
  readonly file: EditableText;
  /** Absolute, without symbolic links. Undefined if the file does not exist. */
  readonly path: string | undefined;
  /** Undefined if the file does not exist. */
  readonly version: string | undefined;
}

/** What loading a file came to: a text, a file that is none, or one that changed meanwhile. */
export type LoadOutcome =
  LoadedFile | { readonly binary: true; readonly head: Uint8Array; readonly sizeBytes: bigint } | "changed";

/** Loads a file to edit it. With `mayBeMissing`, one that does not exist is an empty one. Rejects with AgentFailure, SandboxLost. */
export async function loadEditable(
  files: WorkspaceFiles,
  options: { path: string; mayBeMissing: boolean; signal: AbortSignal },
): Promise<LoadOutcome> {
  const { path, mayBeMissing, signal } = options;
  try {
    const head = await readFileHead(files, { path, signal });
    if (head.layout === "binary") return { binary: true, head: head.bytes, sizeBytes: head.info.sizeBytes };
    const { info, data } = await files.readAll({ path, maxFileBytes: MAX_EDITED_BYTES, signal });
    if (info.version !== head.info.version || data.length !== Number(info.sizeBytes)) return "changed";
    const { layout, bomBytes } = head;
    return { file: openEditable({ data, layout, bomBytes }), path: info.path, version: info.version };
  } catch (error) {
    if (!mayBeMissing || !(error instanceof AgentFailure) || error.detail.kind !== ErrorKind.NOT_FOUND)
      throw error;
    const file = openEditable({ data: new Uint8Array(), layout: "bytes", bomBytes: 0 });
    return { file, path: undefined, version: undefined };
  }
}
