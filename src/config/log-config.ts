import { z } from "zod";
import { readEnvironment } from "./environment.js";
import type { Environment } from "./environment.js";

/** How much is logged. */
export interface LogConfig {
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
}

/** Reads HANDRAIL_LOG_LEVEL. */
export function readLogConfig(environment: Environment): LogConfig {
  const read = readEnvironment(environment, {
    HANDRAIL_LOG_LEVEL: z
      .enum(["debug", "info", "warn", "error", "silent"], "must be debug, info, warn, error or silent")
      .default("info"),
  });
  return Object.freeze({ level: read.HANDRAIL_LOG_LEVEL });
}
