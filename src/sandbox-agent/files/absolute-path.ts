import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";

const maxPathBytes = 4095;
const maxNameBytes = 255;

/**
 * Makes a caller's path absolute: a relative one starts at the workspace, one below an alias of the workspace is moved
 * there. `..`, symbolic links and a slash at the end stay as they are. Throws INVALID.
 */
export function absolutePath(
  path: string,
  { workspaceRoot, workspaceAliases }: Pick<AgentConfig, "workspaceRoot" | "workspaceAliases">,
): string {
  if (path === "") throw agentFailure(ErrorKind.INVALID, "the path is empty");
  if (path.includes("\0")) throw agentFailure(ErrorKind.INVALID, "the path has a NUL character");
  checkLength(path);
  const alias = workspaceAliases.find((candidate) => isBelow(path, candidate));
  if (alias !== undefined) return workspaceRoot + path.slice(alias.length);
  return path.startsWith("/") ? path : `${workspaceRoot}/${path}`;
}

/** True if the absolute path is the directory or lexically below it. */
export function isBelow(path: string, directory: string): boolean {
  return directory === "/" || path === directory || path.startsWith(`${directory}/`);
}

function checkLength(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes > maxPathBytes)
    throw agentFailure(
      ErrorKind.INVALID,
      `the path has ${bytes} bytes, above the limit of ${maxPathBytes} bytes`,
    );
  for (const name of path.split("/")) {
    const nameBytes = Buffer.byteLength(name);
    if (nameBytes > maxNameBytes)
      throw agentFailure(
        ErrorKind.INVALID,
        `the name ${name.slice(0, 40)}… in the path has ${nameBytes} bytes, above the limit of ${maxNameBytes} bytes`,
      );
  }
}
