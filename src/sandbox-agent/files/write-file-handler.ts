import { accessSync, closeSync, constants, readlinkSync } from "node:fs";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { WriteFileRequest, WriteStart } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import type { DiskGuard } from "../disk/disk-guard.js";
import { fileInfo } from "./file-info.js";
import { MadeDirectories } from "./made-directories.js";
import { NewContent } from "./new-content.js";
import type { Replaced } from "./new-content.js";
import type { FilePlaces } from "./open-file.js";
import { writeFailure } from "./write-failure.js";
import { findWriteTarget } from "./write-target.js";
import type { WriteTarget } from "./write-target.js";

/** Makes the handler of WriteFile. The roots of `places` are those below which files may be written. */
export function createWriteFileHandler(places: FilePlaces, disk: DiskGuard): AgentHandlers["writeFile"] {
  return async (requests, respond, { signal }) => {
    const messages = requests[Symbol.asyncIterator]();
    const start = await firstMessage(messages);
    const target = findWriteTarget(start.path, places);
    const path = [target.path, ...target.missing, target.name].join("/").replace(/^\/\//, "/");
    const { before, after } = await replaceContent({ start, target, messages, places, disk, signal });
    await respond({
      created: before === undefined,
      info: fileInfo({ path, stat: after }),
      previousBytes: before?.size ?? 0n,
      workspacePath: places.roots.inWorkspace(path),
    });
  };
}

interface ReplaceOptions {
  readonly start: WriteStart;
  readonly target: WriteTarget;
  readonly messages: AsyncIterator<WriteFileRequest>;
  readonly places: FilePlaces;
  readonly disk: DiskGuard;
  readonly signal: AbortSignal;
}

async function replaceContent(options: ReplaceOptions): Promise<Replaced> {
  const { start, target } = options;
  let directories: MadeDirectories;
  try {
    directories = openDirectories(target);
  } catch (error) {
    throw writeFailure(error, start.path);
  }
  try {
    const content = new NewContent(directories.fd, target.mode);
    try {
      return await fill(content, { ...options, directoryFd: directories.fd });
    } finally {
      content.close();
    }
  } catch (error) {
    directories.undo();
    throw writeFailure(error, start.path);
  } finally {
    directories.close();
  }
}

/** Holds the directory of the target. A file that may not be written is refused, though its directory would let it be replaced. */
function openDirectories({ fd, missing, name, mode }: WriteTarget): MadeDirectories {
  if (mode !== undefined) {
    try {
      accessSync(`/proc/self/fd/${fd}/${name}`, constants.W_OK);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }
  return new MadeDirectories(fd, missing);
}

async function fill(
  content: NewContent,
  { start, target, messages, places, disk, signal, directoryFd }: ReplaceOptions & { directoryFd: number },
): Promise<Replaced> {
  let bytes = 0;
  for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
    const { message } = next.value;
    if (message.case === "data") bytes += message.value.byteLength;
    if (message.case !== "data") throw agentFailure(ErrorKind.INVALID, "the content of a write is missing");
    await content.append(message.value);
  }
  signal.throwIfAborted();
  const refusal = await disk.refusal(bytes);
  if (refusal !== undefined)
    throw agentFailure(ErrorKind.NO_SPACE, `${start.path} cannot be written: ${refusal}`);
  if (!places.roots.allows(readlinkSync(`/proc/self/fd/${directoryFd}`)))
    throw agentFailure(ErrorKind.OUTSIDE, `${start.path} was moved out of what may be written`);
  const { path: shownPath, ifVersion, mustCreate } = start;
  return content.replace(target.name, { shownPath, ifVersion, mustCreate });
}

async function firstMessage(messages: AsyncIterator<WriteFileRequest>): Promise<WriteStart> {
  const first = await messages.next();
  const message = first.done === true ? undefined : first.value.message;
  if (message?.case !== "start") throw agentFailure(ErrorKind.INVALID, "the start of a write is missing");
  return message.value;
}
