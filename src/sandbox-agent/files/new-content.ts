import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
} from "node:fs";
import type { BigIntStats } from "node:fs";
import { promisify } from "node:util";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { fileVersion } from "./file-info.js";
import { systemCode } from "./system-failure.js";

const writeSome = promisify(write);

/** Mode of a new file before the umask of the process. */
const newFileMode = 0o666;

/** What a file must be like for its content to be replaced. */
export interface ReplaceConditions {
  /** The path as the caller gave it, for messages. */
  readonly shownPath: string;
  /** Version that the file must have. Empty: any. */
  readonly ifVersion: string;
  /** The file must not exist. */
  readonly mustCreate: boolean;
}

/** What came of giving a file its new content. */
export interface Replaced {
  /** What was there before; undefined if the file is new. */
  readonly before: BigIntStats | undefined;
  readonly after: BigIntStats;
}

/** Content that is collected in a file of its own, beside the one that it is for, which gets it at once by a rename. */
export class NewContent {
  readonly #directory: string;
  readonly #temporary: string;
  readonly #fd: number;
  #isThere = true;

  /**
   * Makes the file in a held directory. `mode` are the permission bits of the file that is to be replaced, if there is
   * one. Throws errors of the operating system.
   */
  constructor(directoryFd: number, mode: number | undefined) {
    this.#directory = `/proc/self/fd/${directoryFd}`;
    this.#temporary = `${this.#directory}/.handrail-${randomBytes(9).toString("hex")}`;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    this.#fd = openSync(this.#temporary, flags, mode === undefined ? newFileMode : mode & 0o777);
  }

  /** Adds bytes. Rejects with errors of the operating system. */
  async append(data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length;) {
      const { bytesWritten } = await writeSome(this.#fd, data, at, data.length - at, null);
      at += bytesWritten;
    }
  }

  /**
   * Gives the content to the name. One step for every reader, and for every other write by this process: it compares and
   * renames without waiting in between. The file keeps its permission bits. Other names of it, which hard links are, keep
   * the old content. Throws AgentFailure CONFLICT and errors of the operating system.
   */
  replace(name: string, { shownPath, ifVersion, mustCreate }: ReplaceConditions): Replaced {
    const path = `${this.#directory}/${name}`;
    const before = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (mustCreate) {
      if (before !== undefined) throw existsAlready(shownPath);
      this.#create(path, shownPath);
    } else {
      checkBefore(before, { shownPath, ifVersion });
      if (before !== undefined) this.#keepMode(before);
      renameSync(this.#temporary, path);
    }
    this.#isThere = false;
    return { before, after: fstatSync(this.#fd, { bigint: true }) };
  }

  /** Closes the file, and removes it if no name got its content. */
  close(): void {
    closeSync(this.#fd);
    if (this.#isThere) unlinkSync(this.#temporary);
  }

  #create(path: string, shownPath: string): void {
    try {
      linkSync(this.#temporary, path);
    } catch (error) {
      throw systemCode(error) === "EEXIST" ? existsAlready(shownPath) : error;
    }
    unlinkSync(this.#temporary);
  }

  #keepMode(before: BigIntStats): void {
    const mode = before.mode & 0o7777n;
    if ((fstatSync(this.#fd, { bigint: true }).mode & 0o7777n) !== mode) fchmodSync(this.#fd, Number(mode));
  }
}

function checkBefore(
  before: BigIntStats | undefined,
  { shownPath, ifVersion }: { shownPath: string; ifVersion: string },
): void {
  if (before !== undefined && !before.isFile())
    throw agentFailure(ErrorKind.CONFLICT, `${shownPath} became something else than a regular file`);
  if (ifVersion === "" || (before !== undefined && fileVersion(before) === ifVersion)) return;
  throw agentFailure(
    ErrorKind.CONFLICT,
    before === undefined ? `${shownPath} does not exist any more` : `${shownPath} has changed`,
  );
}

function existsAlready(shownPath: string): Error {
  return agentFailure(ErrorKind.CONFLICT, `${shownPath} exists already`);
}
