import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { findContainer } from "../parts/docker-engine.js";
import { processTree, residentBytes } from "../parts/proc.js";
import type { Row } from "../row.js";
import type { Measurement, Stage } from "../stage.js";

/** Quiet time before memory is read, in ms. */
const QUIET_MS = 1000;

/** Calls that make a project warm. */
const CALLS = 20;

/** What a warm project and the service weigh while nothing runs. */
export const memory: Measurement = {
  name: "memory",
  kinds: ["docker", "local"],
  measure: (stage) => weigh(stage, `after ${CALLS} calls`),
};

/** The same at the end, when all other measurements have passed over them. */
export const memoryAfterLoad: Measurement = {
  name: "memory-after-load",
  kinds: ["docker", "local"],
  measure: (stage) => weigh(stage, "after all rows above"),
};

async function weigh({ client, service, spawner }: Stage, when: string): Promise<Row[]> {
  const provider = service.kind;
  for (let call = 0; call < CALLS; call += 1) await client.run("bash", { command: "true" });
  await sleep(QUIET_MS);
  const node = mebibytes(residentBytes(spawner.pid));
  const small = { what: "small idle Node process, resident", value: node, unit: "MiB" } as const;
  const rows: Row[] = [
    {
      provider,
      what: `idle project ${when}: resident memory of its processes`,
      ours: { value: mebibytes(await projectBytes(service)), unit: "MiB" },
      yardstick: small,
    },
    {
      provider,
      what: `idle service ${when}: resident memory`,
      ours: { value: mebibytes(residentBytes(service.pid)), unit: "MiB" },
      yardstick: small,
    },
  ];
  if (provider === "local") return rows;
  const container = await findContainer(service.instance);
  const usage = { value: mebibytes(await usageBytes(container)), unit: "MiB" } as const;
  return [{ provider, what: `idle container ${when}: its cgroup without page cache`, ours: usage }, ...rows];
}

async function projectBytes(service: { kind: string; pid: number; instance: string }): Promise<number> {
  const pids =
    service.kind === "docker"
      ? await containerPids(await findContainer(service.instance))
      : processTree(service.pid).slice(1);
  return pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
}

async function containerPids(container: Docker.Container): Promise<number[]> {
  const { Titles, Processes } = (await container.top({ ps_args: "-eo pid" })) as {
    Titles: string[];
    Processes: string[][];
  };
  const column = Titles.indexOf("PID");
  return Processes.map((line) => Number(line[column]));
}

async function usageBytes(container: Docker.Container): Promise<number> {
  const { memory_stats } = await container.stats({ stream: false });
  const { usage, stats } = memory_stats;
  const cache = (stats as { total_inactive_file?: number }).total_inactive_file ?? stats.inactive_file;
  return usage - cache;
}

function mebibytes(bytes: number): number {
  return bytes / 2 ** 20;
}
