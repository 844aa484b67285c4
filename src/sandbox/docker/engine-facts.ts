import type Docker from "dockerode";
import { z } from "zod";
import { engineCall, type EngineCallOptions } from "./engine-call.js";

/** What the provider wants to know of an engine. */
export interface EngineFacts {
  readonly processors: number;
  readonly hasSeccomp: boolean;
  /** Limits that the engine cannot hold, such as `swap`. */
  readonly missingLimits: readonly string[];
  /** Version of runc; undefined if the engine does not say. */
  readonly runcVersion: string | undefined;
}

const Info = z.object({
  NCPU: z.number(),
  SecurityOptions: z.array(z.string()).nullish(),
  MemoryLimit: z.boolean().default(true),
  SwapLimit: z.boolean().default(true),
  PidsLimit: z.boolean().default(true),
  CpuCfsQuota: z.boolean().default(true),
});

const Version = z.object({
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
});

/** Asks the engine what it is. Throws as engineCall does. */
export async function readEngineFacts(docker: Docker, options: EngineCallOptions): Promise<EngineFacts> {
  const [info, version] = await Promise.all([
    engineCall(() => docker.info(), options).then((answer) => Info.parse(answer)),
    engineCall(() => docker.version(), options).then((answer) => Version.parse(answer)),
  ]);
  const limits = {
    memory: info.MemoryLimit,
    swap: info.SwapLimit,
    processes: info.PidsLimit,
    processors: info.CpuCfsQuota,
  };
  return {
    processors: info.NCPU,
    hasSeccomp: (info.SecurityOptions ?? []).some(
      (option) => option.includes("seccomp") && !option.includes("unconfined"),
    ),
    missingLimits: Object.entries(limits).flatMap(([name, isThere]) => (isThere ? [] : [name])),
    runcVersion: version.Components?.find(({ Name }) => Name === "runc")?.Version,
  };
}

/**
 * True if this runc lets a container's working directory or mounts reach the host (CVE-2024-21626, CVE-2025-31133):
 * older than 1.2.8, or 1.3.0 to 1.3.2. True also if the version cannot be read.
 */
export function isVulnerableRunc(version: string): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  const [major, minor, patch] = parts ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return true;
  if (major !== 1) return major < 1;
  if (minor === 2) return patch < 8;
  if (minor === 3) return patch < 3;
  return minor < 2;
}
