import { read } from "node:fs";
import { promisify } from "node:util";
import type { ReadAt } from "./byte-cursor.js";
import type { OpenFile } from "./open-file.js";
import { systemFailure } from "./system-failure.js";

const readAsync = promisify(read);

/** Reads from an open file. Rejects with AgentFailure. */
export function readAtOf({ fd }: OpenFile, shownPath: string): ReadAt {
  return async (buffer, position) => {
    try {
      const { bytesRead } = await readAsync(fd, buffer, 0, buffer.length, position);
      return bytesRead;
    } catch (error) {
      throw systemFailure(error, shownPath);
    }
  };
}
