import type { Reason } from "../domain/reasons.js";
import { AgentFailure } from "../sandbox/channel/agent-client.js";
import { FilesFailed } from "../workspace/files-failed.js";
import type { FilesFault } from "../workspace/files-failed.js";
import { SandboxLost } from "../workspace/workspace.js";
import { sandboxStatus } from "./sandbox-status.js";
import { statusError } from "./status.js";

const REASONS: Readonly<Record<FilesFault, Reason>> = {
  archive: "BAD_ARCHIVE",
  offset: "UPLOAD_OFFSET",
  size: "UPLOAD_TOO_LARGE",
  files: "FILES_FAILED",
};

/** The RPC status for what goes wrong with the files or the sandbox of a project. */
export function filesStatus(error: unknown): Error {
  if (error instanceof FilesFailed) {
    const { fault, message, expectedOffset } = error;
    const metadata: Record<string, string> =
      expectedOffset === undefined ? {} : { expected_offset: String(expectedOffset) };
    return statusError(REASONS[fault], message, { metadata });
  }
  if (error instanceof AgentFailure) return statusError("FILES_FAILED", error.message, { cause: error });
  if (error instanceof SandboxLost)
    return statusError("NO_SANDBOX", "the sandbox was lost meanwhile; call again", { cause: error });
  return sandboxStatus(error);
}
