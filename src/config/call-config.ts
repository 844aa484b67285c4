import { DEFAULT_POLICY } from "../calls/limits.js";
import type { CallPolicy } from "../calls/limits.js";
import { DEFAULT_RECOVERY } from "../calls/recoveries.js";
import type { RecoveryPolicy } from "../calls/recoveries.js";
import { readEnvironment, wholeNumber } from "./environment.js";
import type { Environment } from "./environment.js";

/** How calls are limited, and how many of a project run at once. */
export interface CallConfig {
  readonly policy: CallPolicy;
  readonly perProject: number;
  readonly waiting: number;
  readonly recovery: RecoveryPolicy;
  readonly bash: { readonly defaultTimeoutMs: number; readonly maxTimeoutMs: number };
}

/** Reads HANDRAIL_MAX_TEXT_BYTES and the variables for the queue, heartbeats, what is kept, recovery and bash. */
export function readCallConfig(environment: Environment): CallConfig {
  const day = 86_400_000;
  const read = readEnvironment(environment, {
    HANDRAIL_MAX_TEXT_BYTES: wholeNumber({ min: 256, max: 1_048_576, unit: "bytes" }).default(
      DEFAULT_POLICY.maxTextBytes,
    ),
    HANDRAIL_CALLS_PER_PROJECT: wholeNumber({ min: 1, max: 10_000 }).default(64),
    HANDRAIL_QUEUE_PER_PROJECT: wholeNumber({ min: 0, max: 100_000 }).default(256),
    HANDRAIL_QUEUE_MS: wholeNumber({ min: 1, max: day, unit: "ms" }).default(DEFAULT_POLICY.queueMs),
    HANDRAIL_HEARTBEAT_MS: wholeNumber({ min: 100, max: 15_000, unit: "ms" }).default(
      DEFAULT_POLICY.heartbeatMs,
    ),
    HANDRAIL_RESULT_KEEP_MS: wholeNumber({ min: 1000, max: 30 * day, unit: "ms" }).default(
      DEFAULT_POLICY.keptMs,
    ),
    HANDRAIL_SPOOL_MIB: wholeNumber({ min: 1, max: 10_240, unit: "MiB" }).default(64),
    HANDRAIL_RECOVERY_WAIT_MS: wholeNumber({ min: 0, max: 60_000, unit: "ms" }).default(
      DEFAULT_RECOVERY.waitMs,
    ),
    HANDRAIL_RECOVERY_MAX: wholeNumber({ min: 0, max: 1000 }).default(DEFAULT_RECOVERY.max),
    HANDRAIL_RECOVERY_QUIET_MS: wholeNumber({ min: 1000, max: 30 * day, unit: "ms" }).default(
      DEFAULT_RECOVERY.quietMs,
    ),
    HANDRAIL_BASH_TIMEOUT_MS: wholeNumber({ min: 1, max: day, unit: "ms" }).default(60_000),
    HANDRAIL_BASH_MAX_TIMEOUT_MS: wholeNumber({ min: 1, max: day, unit: "ms" }).default(600_000),
  });
  const maxTimeoutMs = read.HANDRAIL_BASH_MAX_TIMEOUT_MS;
  return Object.freeze({
    policy: {
      ...DEFAULT_POLICY,
      maxTextBytes: read.HANDRAIL_MAX_TEXT_BYTES,
      queueMs: read.HANDRAIL_QUEUE_MS,
      heartbeatMs: read.HANDRAIL_HEARTBEAT_MS,
      keptMs: read.HANDRAIL_RESULT_KEEP_MS,
      spoolBytes: read.HANDRAIL_SPOOL_MIB * 1024 * 1024,
    },
    recovery: {
      waitMs: read.HANDRAIL_RECOVERY_WAIT_MS,
      max: read.HANDRAIL_RECOVERY_MAX,
      quietMs: read.HANDRAIL_RECOVERY_QUIET_MS,
    },
    perProject: read.HANDRAIL_CALLS_PER_PROJECT,
    waiting: read.HANDRAIL_QUEUE_PER_PROJECT,
    bash: { defaultTimeoutMs: Math.min(read.HANDRAIL_BASH_TIMEOUT_MS, maxTimeoutMs), maxTimeoutMs },
  });
}
