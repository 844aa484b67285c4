import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readEnvironment, wholeNumber } from "./environment.js";
import type { Environment } from "./environment.js";

const MIB = 1024 * 1024;

/** Which sandboxes the service makes, and how large. */
export interface SandboxConfig {
  /** `auto` takes docker if an engine answers and has the image, else local. */
  readonly provider: "auto" | "docker" | "local";
  readonly image: string;
  /** Name of the installation that owns the sandboxes. */
  readonly instance: string;
  readonly dockerSocket: string;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pidsLimit: number;
  /** `egress`, by the service's proxy; `none`; or a network of the engine. */
  readonly network: string;
  readonly runtime: string | undefined;
  /** How long an agent that nobody uses is kept, in ms. */
  readonly agentIdleMs: number;
  /** How long a sandbox that nobody uses runs, in ms. */
  readonly sandboxIdleMs: number;
  /** How long a container runs on whose service died, beside `sandboxIdleMs`, in ms. */
  readonly leaseMs: number;
  /** Most bytes of a project's files and home directory. 0: any number. */
  readonly quotaBytes: number;
  /** Bytes of the disk that projects leave free. 0: none. */
  readonly diskReserveBytes: number;
  /** Where local sandboxes keep their files. */
  readonly dataDir: string;
  /** The user that local sandboxes run as if the service runs as root. */
  readonly localUid: number;
}

/** Reads HANDRAIL_SANDBOX and the HANDRAIL_SANDBOX_… variables, HANDRAIL_INSTANCE, HANDRAIL_DATA_DIR, DOCKER_HOST. */
export function readSandboxConfig(environment: Environment, options: { isRoot: boolean }): SandboxConfig {
  const read = readEnvironment(environment, {
    HANDRAIL_SANDBOX: z.enum(["auto", "docker", "local"], "must be auto, docker or local").default("auto"),
    HANDRAIL_SANDBOX_IMAGE: z.string().default("handrail-sandbox:latest"),
    HANDRAIL_INSTANCE: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores")
      .default("default"),
    DOCKER_HOST: z
      .string()
      .startsWith("unix://", "only a unix:// socket is taken; leave it out for /var/run/docker.sock")
      .default("unix:///var/run/docker.sock"),
    HANDRAIL_SANDBOX_MEMORY_MIB: wholeNumber({ min: 128, max: 1_048_576, unit: "MiB" }).default(2048),
    HANDRAIL_SANDBOX_CPUS: wholeNumber({ min: 1, max: 256 }).default(2),
    HANDRAIL_SANDBOX_PIDS: wholeNumber({ min: 64, max: 65_536 }).default(512),
    HANDRAIL_SANDBOX_NETWORK: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]*$/, "must be egress, none, or the name of a network of the engine")
      .default("egress"),
    HANDRAIL_SANDBOX_RUNTIME: z.string().optional(),
    HANDRAIL_AGENT_IDLE_MS: wholeNumber({ min: 100, max: 2_147_483_647, unit: "ms" }).default(300_000),
    HANDRAIL_SANDBOX_IDLE_MS: wholeNumber({ min: 100, max: 2_147_483_647, unit: "ms" }).default(1_800_000),
    HANDRAIL_SANDBOX_LEASE_MS: wholeNumber({ min: 1000, max: 2_147_483_647, unit: "ms" }).default(300_000),
    HANDRAIL_WORKSPACE_QUOTA_MIB: wholeNumber({ min: 0, max: 1_073_741_824, unit: "MiB" }).default(10_240),
    HANDRAIL_DISK_RESERVE_MIB: wholeNumber({ min: 0, max: 1_073_741_824, unit: "MiB" }).default(512),
    HANDRAIL_DATA_DIR: z.string().startsWith("/", "must be an absolute path").optional(),
    HANDRAIL_LOCAL_UID: wholeNumber({ min: 1, max: 2_147_483_647 }).default(1000),
  });
  return Object.freeze({
    provider: read.HANDRAIL_SANDBOX,
    image: read.HANDRAIL_SANDBOX_IMAGE,
    instance: read.HANDRAIL_INSTANCE,
    dockerSocket: read.DOCKER_HOST.slice("unix://".length),
    memoryBytes: read.HANDRAIL_SANDBOX_MEMORY_MIB * MIB,
    cpus: read.HANDRAIL_SANDBOX_CPUS,
    pidsLimit: read.HANDRAIL_SANDBOX_PIDS,
    network: read.HANDRAIL_SANDBOX_NETWORK,
    runtime: read.HANDRAIL_SANDBOX_RUNTIME,
    agentIdleMs: read.HANDRAIL_AGENT_IDLE_MS,
    sandboxIdleMs: read.HANDRAIL_SANDBOX_IDLE_MS,
    leaseMs: read.HANDRAIL_SANDBOX_LEASE_MS,
    quotaBytes: read.HANDRAIL_WORKSPACE_QUOTA_MIB * MIB,
    diskReserveBytes: read.HANDRAIL_DISK_RESERVE_MIB * MIB,
    dataDir:
      read.HANDRAIL_DATA_DIR ??
      (options.isRoot ? "/var/lib/handrail" : join(homedir(), ".local/state/handrail")),
    localUid: read.HANDRAIL_LOCAL_UID,
  });
}
