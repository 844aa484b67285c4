import { readFileSync } from "node:fs";
import { holdFirst } from "./held-file.js";

/** True while the processes of this sandbox are nearly used up, so that a command would hardly get one. */
export type IsCrowded = () => boolean;

/** The part of the limit that is free as long as there is room. */
const ROOM = 1 / 8;

/**
 * Finds the count and the limit of processes of this process's cgroup, version 1 or 2, in the file system at `root`.
 * Where there is none it is never crowded.
 */
export function openProcessRoom(root = ""): IsCrowded {
  const places = directories(root);
  const limit = holdFirst(places.map((place) => `${place}/pids.max`));
  const current = holdFirst(places.map((place) => `${place}/pids.current`));
  return () => numberOf(current) > numberOf(limit) * (1 - ROOM);
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

/** The number that a file says; NaN for `max`, which compares as no limit, and for a file that cannot be read. */
function numberOf(read: (() => string) | undefined): number {
  return Number.parseInt(read?.() ?? "", 10);
}
