import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { systemCode, systemFailure } from "./system-failure.js";

const kinds: ReadonlyMap<string, readonly [ErrorKind, string]> = new Map([
  ["EACCES", [ErrorKind.PERMISSION, "permission denied"]],
  ["EPERM", [ErrorKind.PERMISSION, "operation not permitted"]],
  ["ETXTBSY", [ErrorKind.PERMISSION, "it is a program that runs"]],
  ["ENOSPC", [ErrorKind.NO_SPACE, "no space is left on the disk"]],
  ["EDQUOT", [ErrorKind.NO_SPACE, "the disk quota is used up"]],
  ["EROFS", [ErrorKind.NO_SPACE, "the file system is read-only"]],
  ["EFBIG", [ErrorKind.NO_SPACE, "the file would be too large for its file system"]],
  ["EIO", [ErrorKind.RESOURCES, "the disk failed"]],
  ["EBUSY", [ErrorKind.RESOURCES, "the file is in use"]],
]);

/** Turns an error of the operating system about a path that is written into the failure of a request; passes others on. */
export function writeFailure(error: unknown, shownPath: string): unknown {
  const [kind, text] = kinds.get(systemCode(error) ?? "") ?? [];
  if (kind === undefined) return systemFailure(error, shownPath);
  return agentFailure(kind, `${shownPath} cannot be written: ${text ?? ""}`);
}
