import { readFileSync } from "node:fs";
import { holdFirst } from "./held-file.js";

/** Reads how many processes of this sandbox the kernel has killed for lack of memory. */
export type OomCounter = () => number;

/** Finds the counter of this process's cgroup, version 1 or 2, in the file system at `root`. Where there is none it stays 0. */
export function openOomCounter(root = ""): OomCounter {
  const read = holdFirst(counterPaths(root));
  return () => Number(/^oom_kill (\d+)$/m.exec(read?.() ?? "")?.[1] ?? 0);
}

function counterPaths(root: string): string[] {
  const unified = `${root}/sys/fs/cgroup`;
  const memory = `${unified}/memory`;
  const lines = readFileSync(`${root}/proc/self/cgroup`, "utf8").trim().split("\n");
  const paths = lines.flatMap((line) => {
    const [, controllers = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(",").includes("memory"))
      return [`${memory}${path}/memory.oom_control`, `${memory}/memory.oom_control`];
    if (controllers === "") return [`${unified}${path}/memory.events`, `${unified}/memory.events`];
    return [];
  });
  return paths;
}
