import { existsSync, readFileSync } from "node:fs";

/** True while the processes of this sandbox are nearly used up, so that a command would hardly get one. */
export type IsCrowded = () => boolean;

/** The part of the limit that is free as long as there is room. */
const ROOM = 1 / 8;

/**
 * Finds the count and the limit of processes of this process's cgroup, version 1 or 2, in the file system at `root`.
 * Where there is none it is never crowded.
 */
export function openProcessRoom(root = ""): IsCrowded {
  const directory = directories(root).find((candidate) => existsSync(`${candidate}/pids.max`));
  return () => {
    if (directory === undefined) return false;
    const limit = readNumber(`${directory}/pids.max`);
    return readNumber(`${directory}/pids.current`) > limit * (1 - ROOM);
  };
}

function directories(root: string): string[] {
  const unified = `${root}/sys/fs/cgroup`;
  const lines = readFileSync(`${root}/proc/self/cgroup`, "utf8").trim().split("\n");
  return lines.flatMap((line) => {
    const [, controllers = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(",").includes("pids")) return [`${unified}/pids${path}`, `${unified}/pids`];
    return controllers === "" ? [`${unified}${path}`, unified] : [];
  });
}

/** The number in a file; NaN for `max`, which compares as no limit, and for a file that cannot be read. */
function readNumber(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, "utf8"), 10);
  } catch {
    return Number.NaN;
  }
}
