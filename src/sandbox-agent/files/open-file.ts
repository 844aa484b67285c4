import { closeSync, constants, openSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { absolutePath } from "./absolute-path.js";
import { missingFailure } from "./missing-failure.js";
import { walkPath } from "./path-walk.js";
import type { Place } from "./path-walk.js";
import type { ReadRoots } from "./read-roots.js";
import { systemFailure } from "./system-failure.js";

/** A regular file that is open for reading. */
export interface OpenFile extends Place {
  /** Must be closed by who opened it. */
  readonly fd: number;
}

/** What opening needs to know of the sandbox. */
export interface FilePlaces extends Pick<AgentConfig, "workspaceRoot" | "workspaceAliases"> {
  readonly roots: ReadRoots;
}

/** Files of the kernel that look regular but never end, or take what they give away from others. */
const kernelStream = /^\/proc\/kmsg$|^\/sys\/.*\/(?:trace_pipe|trace_pipe_raw)$/;

/**
 * Opens a regular file for reading. What is no regular file is never opened for its content. Throws AgentFailure.
 */
export function openFile(shownPath: string, places: FilePlaces): OpenFile {
  const { roots } = places;
  const place = walkPath(absolutePath(shownPath, places), {
    shownPath,
    roots,
    onMissing: (missing) => missingFailure(missing, { shownPath, roots }),
  });
  try {
    checkRegular(place, shownPath);
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    return { ...place, fd: openSync(`/proc/self/fd/${place.fd}`, flags) };
  } catch (error) {
    throw systemFailure(error, shownPath);
  } finally {
    closeSync(place.fd);
  }
}

/** Throws IS_DIRECTORY or NOT_REGULAR for what is no regular file. */
export function checkRegular({ stat, path }: Place, shownPath: string): void {
  if (stat.isDirectory()) throw agentFailure(ErrorKind.IS_DIRECTORY, `${shownPath} is a directory`);
  const fileType = kernelStream.test(path) ? "kernel stream" : irregularType(stat);
  if (fileType !== undefined)
    throw agentFailure(ErrorKind.NOT_REGULAR, `${shownPath} is a ${fileType}, not a regular file`, {
      fileType,
    });
}

function irregularType(stat: BigIntStats): string | undefined {
  if (stat.isFIFO()) return "fifo";
  if (stat.isSocket()) return "socket";
  if (stat.isCharacterDevice()) return "character device";
  if (stat.isBlockDevice()) return "block device";
  return undefined;
}
