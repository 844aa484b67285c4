import { closeSync, constants, openSync } from "node:fs";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { absolutePath } from "./absolute-path.js";
import { missingFailure } from "./missing-failure.js";
import { checkRegular } from "./open-file.js";
import type { FilePlaces } from "./open-file.js";
import { walkToEntry } from "./path-walk.js";
import type { MissingName } from "./path-walk.js";

/** Opens a name without any right on its content. Node has no name for it. */
const O_PATH = 0x200000;

/** Where a file is to be written. */
export interface WriteTarget {
  /** The nearest directory that exists, held. Must be closed by who has the target. */
  readonly fd: number;
  /** Its path, without symbolic links. */
  readonly path: string;
  /** Directories to make below it, outermost first. Empty if the file's own directory exists. */
  readonly missing: readonly string[];
  /** Name of the file. */
  readonly name: string;
  /** Permission bits of the file that is there; undefined if there is none. */
  readonly mode: number | undefined;
}

/**
 * Finds where a file is to be written. A symbolic link leads to its target, also to one that does not exist. What is
 * there and is no regular file is refused. Throws AgentFailure.
 */
export function findWriteTarget(shownPath: string, places: FilePlaces): WriteTarget {
  const { roots } = places;
  try {
    const { directory, name, place } = walkToEntry(absolutePath(shownPath, places), {
      shownPath,
      roots,
      onMissing: (missing) => new NotThere(missing),
    });
    closeSync(place.fd);
    return guarded(directory.fd, () => {
      checkRegular(place, shownPath);
      const { path, fd } = directory;
      return { fd, path, missing: [], name, mode: Number(place.stat.mode & 0o7777n) };
    });
  } catch (error) {
    if (!(error instanceof NotThere)) throw error;
    return guarded(error.fd, () => missingTarget(error, { shownPath, places }));
  }
}

/** A name is not in its directory, which is held. */
class NotThere extends Error {
  readonly fd: number;
  readonly missing: MissingName;

  constructor(missing: MissingName) {
    super("a name is missing");
    this.missing = missing;
    this.fd = openSync(`/proc/self/fd/${missing.directory.fd}`, O_PATH | constants.O_DIRECTORY);
  }
}

function missingTarget(
  { fd, missing }: NotThere,
  { shownPath, places: { roots } }: { shownPath: string; places: FilePlaces },
): WriteTarget {
  const { directory, name, rest } = missing;
  if (!roots.allows(directory.path) || rest.includes(".."))
    throw missingFailure(missing, { shownPath, roots });
  if (rest.at(-1) === ".")
    throw agentFailure(ErrorKind.INVALID, `${shownPath} ends in a slash, which names a directory`);
  const names = [name, ...rest.filter((part) => part !== ".")];
  return {
    fd,
    path: directory.path,
    missing: names.slice(0, -1),
    name: names.at(-1) ?? name,
    mode: undefined,
  };
}

/** Closes the descriptor if the function throws. */
function guarded<T>(fd: number, use: () => T): T {
  try {
    return use();
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
