import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { absolutePath } from "../files/absolute-path.js";

/**
 * The absolute working directory of a run: the workspace if `cwd` is empty. Throws WORKING_DIRECTORY if it does not
 * exist, is no directory or may not be entered.
 */
export async function workingDirectory(cwd: string, config: AgentConfig): Promise<string> {
  const path = cwd === "" ? config.workspaceRoot : absolutePath(cwd, config);
  try {
    if (!(await stat(path)).isDirectory()) throw refuse(cwd, "is not a directory");
    await access(path, constants.X_OK);
    return path;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const reason = reasons.get(String(error.code)) ?? `cannot be entered (${String(error.code)})`;
    throw refuse(cwd, reason);
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist: a parent is not a directory"],
  ["EACCES", "may not be entered: permission denied"],
  ["ELOOP", "has too many symbolic links"],
]);

function refuse(cwd: string, reason: string): Error {
  const name = cwd === "" ? "the workspace" : cwd;
  return agentFailure(ErrorKind.WORKING_DIRECTORY, `working directory ${name} ${reason}`);
}
