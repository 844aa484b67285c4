import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";

/** The code of an operating system's error, such as `ENOENT`; nothing for another error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const kinds: ReadonlyMap<string, readonly [ErrorKind, string]> = new Map([
  ["ENOENT", [ErrorKind.NOT_FOUND, "does not exist"]],
  ["ENOTDIR", [ErrorKind.NOT_DIRECTORY, "has a parent that is not a directory"]],
  ["EACCES", [ErrorKind.PERMISSION, "may not be read: permission denied"]],
  ["EPERM", [ErrorKind.PERMISSION, "may not be read: operation not permitted"]],
  ["EISDIR", [ErrorKind.IS_DIRECTORY, "is a directory"]],
  ["ELOOP", [ErrorKind.LOOP, "has too many symbolic links"]],
  ["ENAMETOOLONG", [ErrorKind.INVALID, "is too long"]],
  ["EMFILE", [ErrorKind.RESOURCES, "cannot be opened: too many open files"]],
  ["ENFILE", [ErrorKind.RESOURCES, "cannot be opened: too many open files"]],
  ["ENOMEM", [ErrorKind.RESOURCES, "cannot be read: no memory"]],
]);

/** Turns an error of the operating system about a path into the failure of a request; passes other errors on. */
export function systemFailure(error: unknown, shownPath: string): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === "EAGAIN")
    return agentFailure(ErrorKind.NOT_REGULAR, `${shownPath} is a kernel stream, not a regular file`, {
      fileType: "kernel stream",
    });
  const [kind, text] = kinds.get(code) ?? [ErrorKind.INVALID, `cannot be read (${code})`];
  return agentFailure(kind, `${shownPath} ${text}`);
}
