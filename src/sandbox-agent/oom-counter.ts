import { existsSync, readFileSync } from "node:fs";

/** Reads how many processes of this sandbox the kernel has killed for lack of memory. */
export type OomCounter = () => number;

/** Finds the counter of this process's cgroup, version 1 or 2. Where there is none it stays 0. */
export function openOomCounter(): OomCounter {
  const path = counterPaths().find((candidate) => existsSync(candidate));
  return () => (path === undefined ? 0 : readCounter(path));
}

function counterPaths(): string[] {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const paths = lines.flatMap((line) => {
    const [, controllers = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(",").includes("memory"))
      return [`/sys/fs/cgroup/memory${path}/memory.oom_control`, "/sys/fs/cgroup/memory/memory.oom_control"];
    if (controllers === "") return [`/sys/fs/cgroup${path}/memory.events`, "/sys/fs/cgroup/memory.events"];
    return [];
  });
  return paths;
}

function readCounter(path: string): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
