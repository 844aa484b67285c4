import { cpus, loadavg, totalmem } from "node:os";
import { engineVersion } from "./parts/docker-engine.js";

/** What a figure depends on; no name of a machine. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGib: number;
  readonly node: string;
  /** Undefined if no engine answers. */
  readonly engine: string | undefined;
  /** Mean number of running processes in the last minute before the run. */
  readonly loadBefore: number;
}

/** Looks at this machine. */
export async function describeMachine(): Promise<Machine> {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model ?? "unknown",
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    engine: await engineVersion(),
    loadBefore: loadavg()[0] ?? Number.NaN,
  };
}

/** The same in one line. */
export function machineLine({ cores, processor, memoryGib, node, engine, loadBefore }: Machine): string {
  const docker = engine === undefined ? "no Docker engine" : `Docker Engine ${engine}`;
  return `${cores} cores (${processor}), ${memoryGib} GiB, Node ${node}, ${docker}, load before ${loadBefore.toFixed(1)}`;
}
