import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { nearPaths } from "./near-paths.js";
import type { MissingName } from "./path-walk.js";
import type { ReadRoots } from "./read-roots.js";

/** The failure for a path that does not exist, with paths that may have been meant. */
export function missingFailure(
  missing: MissingName,
  { shownPath, roots }: { shownPath: string; roots: ReadRoots },
): Error {
  const { directory, name, rest, link } = missing;
  const near = nearPaths(missing, roots);
  if (link !== undefined)
    return agentFailure(
      ErrorKind.NOT_FOUND,
      `${shownPath} does not exist: ${roots.show(link.path)} is a symbolic link to ${link.target}, which does not exist`,
      { near },
    );
  const where = directory.path === roots.workspace ? "the workspace" : roots.show(directory.path);
  const detail = rest.length > 0 ? `: there is no directory ${name} in ${where}` : "";
  return agentFailure(ErrorKind.NOT_FOUND, `${shownPath} does not exist${detail}`, { near });
}
