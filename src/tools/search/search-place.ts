import { FileKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import type { ToolContext } from "../define.js";
import { pathFailure } from "../files/path-failure.js";
import { SearchRefused, refused } from "./search-refused.js";

/** Where a search begins: a file or a directory that exists and may be read. */
export interface SearchPlace {
  /** For ripgrep: starts with `./` or `/`, and ends in a slash if it is a directory. */
  readonly argument: string;
  readonly isDirectory: boolean;
  /** True for the whole workspace. */
  readonly isWorkspace: boolean;
  /** As the model knows it: relative to the workspace, or absolute. */
  readonly shown: string;
}

/** Looks at a path before it is searched. Throws SearchRefused with the tool's own path errors. */
export async function searchPlace(
  path: string,
  { tool, context: { workspace, signal } }: { tool: string; context: ToolContext<"workspace"> },
): Promise<SearchPlace> {
  const relative = inWorkspace(path, workspace.root);
  const kind = await kindOf(relative === "" ? "." : relative);
  if (kind !== FileKind.FILE && kind !== FileKind.DIRECTORY) {
    throw refused({
      code: `${tool}.not_regular`,
      message: `${JSON.stringify(path.slice(0, 300))} is neither a regular file nor a directory.`,
    });
  }
  const isDirectory = kind === FileKind.DIRECTORY;
  const start = relative.startsWith("/") ? relative : `./${relative}`;
  return {
    argument: isDirectory && !start.endsWith("/") ? `${start}/` : start,
    isDirectory,
    isWorkspace: relative === "",
    shown: relative === "" ? "the workspace" : relative,
  };

  async function kindOf(place: string): Promise<FileKind> {
    try {
      return (await workspace.files.stat({ path: place, signal })).kind;
    } catch (error) {
      const failure = error instanceof AgentFailure ? pathFailure(tool, path, error) : undefined;
      throw failure === undefined ? error : new SearchRefused(failure);
    }
  }
}

/** A path relative to the workspace if it is written as one in it; the workspace itself is the empty string. */
export function inWorkspace(path: string, root: string): string {
  const below = path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : path;
  const relative = below === path ? path : below.replace(/^\/+/, "");
  const short = relative.replace(/^(?:\.\/+)+/, "").replace(/(?<=[^/])\/+$/, "");
  return short === "." ? "" : short;
}
