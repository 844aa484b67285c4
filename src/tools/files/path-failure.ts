import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { toolError } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import type { AgentFailure } from "../../sandbox/channel/agent-client.js";

interface PathProblem {
  readonly code: string;
  readonly message: (shown: string, detail: AgentFailure["detail"]) => string;
  readonly hint?: (detail: AgentFailure["detail"]) => string | undefined;
}

const PROBLEMS: Readonly<Partial<Record<ErrorKind, PathProblem>>> = {
  [ErrorKind.NOT_FOUND]: {
    code: "not_found",
    message: (shown, { message }) => `${shown} does not exist${said(message)}.`,
    hint: ({ near }) => (near.length === 0 ? undefined : `Did you mean: ${near.join(", ")}?`),
  },
  [ErrorKind.OUTSIDE]: {
    code: "outside",
    message: (shown) => `${shown} leads out of the places that tools may use.`,
    hint: () => "Use a path inside the workspace.",
  },
  [ErrorKind.PERMISSION]: {
    code: "permission",
    message: (shown, { message }) =>
      message.includes("cannot be written")
        ? `${shown} may not be written: permission denied.`
        : `${shown} may not be opened: permission denied.`,
  },
  [ErrorKind.IS_DIRECTORY]: {
    code: "is_directory",
    message: (shown) => `${shown} is a directory, not a file.`,
    hint: () => "Name a file in it.",
  },
  [ErrorKind.NOT_DIRECTORY]: {
    code: "not_directory",
    message: (shown) => `${shown} treats a file as a directory.`,
    hint: () => "Drop the trailing slash, or check the path.",
  },
  [ErrorKind.NOT_REGULAR]: {
    code: "not_regular",
    message: (shown, { fileType }) =>
      `${shown} is not a regular file${fileType === "" ? "" : ` but a ${fileType}`}.`,
  },
  [ErrorKind.LOOP]: { code: "loop", message: (shown) => `${shown} goes through too many symbolic links.` },
  [ErrorKind.INVALID]: {
    code: "invalid_path",
    message: (shown, { message }) => `${shown} is no usable path: ${message}.`,
  },
  [ErrorKind.TOO_LARGE]: {
    code: "too_large",
    message: (shown, { message }) => `${shown} is too large: ${message}.`,
  },
  [ErrorKind.CONFLICT]: {
    code: "conflict",
    message: (shown, { message }) => `${shown} was not written: ${message}.`,
    hint: () => "Read it again, then try again.",
  },
  [ErrorKind.NO_SPACE]: {
    code: "no_space",
    message: (_shown, { message }) => `${message}. The file is as it was.`,
    hint: () => "Remove what is not needed, or write elsewhere.",
  },
};

/** What the agent's refusal of a path means for the model, as `tool.code`. Undefined for other refusals. */
export function pathFailure(tool: string, path: string, { detail }: AgentFailure): ToolResult | undefined {
  const problem = PROBLEMS[detail.kind];
  if (problem === undefined) return undefined;
  const hint = problem.hint?.(detail);
  return toolError({
    code: `${tool}.${problem.code}`,
    message: problem.message(JSON.stringify(path.slice(0, 300)), detail),
    ...(hint === undefined ? {} : { hint }),
  });
}

function said(message: string): string {
  return message.includes("symbolic link") ? ` (${message})` : "";
}
