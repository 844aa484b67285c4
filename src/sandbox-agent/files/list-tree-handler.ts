import { closeSync, constants, openSync } from "node:fs";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ListTreeRequest } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import { absolutePath } from "./absolute-path.js";
import { IgnoreRules } from "./ignore-rules.js";
import { withDirectory } from "./list-directory.js";
import { missingFailure } from "./missing-failure.js";
import type { FilePlaces } from "./open-file.js";
import { walkPath } from "./path-walk.js";
import type { ReadRoots } from "./read-roots.js";
import { systemFailure } from "./system-failure.js";
import { listTree } from "./tree-listing.js";

const maxDepth = 64;
const maxEntries = 10_000;
const maxListMs = 3000;

/** Options of createListTreeHandler. */
export interface ListTreeHandlerOptions {
  readonly places: FilePlaces;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/** Makes the handler of ListTree. */
export function createListTreeHandler({ places, now }: ListTreeHandlerOptions): AgentHandlers["listTree"] {
  const { roots } = places;
  return async (request, { signal }) => {
    checkRequest(request);
    const { path, fd } = openDirectory(request.path, places);
    const endAt = now() + maxListMs;
    try {
      const listing = await listTree({
        fd,
        path,
        rulesAbove: request.ignored ? undefined : rulesAbove(path, roots),
        depth: request.depth,
        maxEntries: request.maxEntries,
        hidden: request.hidden,
        ignored: request.ignored,
        isExpired: () => now() >= endAt,
        signal,
      });
      return { ...listing, entries: [...listing.entries], workspacePath: roots.inWorkspace(path) };
    } finally {
      closeSync(fd);
    }
  };
}

function openDirectory(shownPath: string, places: FilePlaces): { path: string; fd: number } {
  const { roots } = places;
  const place = walkPath(absolutePath(shownPath, places), {
    shownPath,
    roots,
    onMissing: (missing) => missingFailure(missing, { shownPath, roots }),
  });
  try {
    if (!place.stat.isDirectory())
      throw agentFailure(ErrorKind.NOT_DIRECTORY, `${shownPath} is not a directory`);
    const fd = openSync(`/proc/self/fd/${place.fd}`, constants.O_RDONLY | constants.O_DIRECTORY);
    return { path: place.path, fd };
  } catch (error) {
    throw systemFailure(error, shownPath);
  } finally {
    closeSync(place.fd);
  }
}

/** The rules of the directories from the workspace down to the parent of the listed one. */
function rulesAbove(path: string, roots: ReadRoots): IgnoreRules | undefined {
  const inside = roots.inWorkspace(path);
  if (inside === "" || inside === ".") return undefined;
  const top = openSync(roots.workspace, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const names = inside.split("/").slice(0, -1);
    let rules: IgnoreRules | undefined;
    for (let level = 0; level <= names.length; level += 1) {
      const above = names.slice(0, level);
      const at = [roots.workspace, ...above].join("/");
      const outer = rules;
      rules = withDirectory(top, above, (fd) => IgnoreRules.read(fd, at, outer)) ?? rules;
    }
    return rules;
  } finally {
    closeSync(top);
  }
}

function checkRequest({ depth, maxEntries: entries }: ListTreeRequest): void {
  if (depth < 1 || depth > maxDepth)
    throw agentFailure(ErrorKind.INVALID, `depth ${depth} is not between 1 and ${maxDepth}`);
  if (entries < 1 || entries > maxEntries)
    throw agentFailure(ErrorKind.INVALID, `maxEntries ${entries} is not between 1 and ${maxEntries}`);
}
