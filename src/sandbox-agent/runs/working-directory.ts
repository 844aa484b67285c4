import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentFailure } from "../../sandbox/channel/agent-client.js";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { absolutePath } from "../files/absolute-path.js";

/** The absolute working directory of a run: the workspace if `cwd` is empty. It need not exist. */
export function workingDirectory(cwd: string, config: AgentConfig): string {
  return cwd === "" ? config.workspaceRoot : absolutePath(cwd, config);
}

/** The WORKING_DIRECTORY failure of a run that could not enter its directory, with the reason as far as it shows. */
export async function workingDirectoryFailure(cwd: string, config: AgentConfig): Promise<AgentFailure> {
  const path = workingDirectory(cwd, config);
  try {
    if (!(await stat(path)).isDirectory()) return refuse(cwd, "is not a directory");
    await access(path, constants.X_OK);
    return refuse(cwd, "cannot be entered");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return refuse(cwd, reasons.get(String(error.code)) ?? `cannot be entered (${String(error.code)})`);
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist: a parent is not a directory"],
  ["EACCES", "may not be entered: permission denied"],
  ["ELOOP", "has too many symbolic links"],
]);

function refuse(cwd: string, reason: string): AgentFailure {
  const name = cwd === "" ? "the workspace" : cwd;
  return agentFailure(ErrorKind.WORKING_DIRECTORY, `working directory ${name} ${reason}`);
}
