import { z } from "zod";
import { commaList, readEnvironment, wholeNumber } from "./environment.js";
import type { Environment } from "./environment.js";

/** The port if none is set. */
export const DEFAULT_PORT = 7430;

/** Where and for whom the service listens. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly tokensFile: string | undefined;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly drainMs: number;
}

/** Reads HANDRAIL_HOST, _PORT, _TLS_CERT_FILE, _TLS_KEY_FILE, _TOKENS_FILE, _ALLOWED_ORIGINS, _ALLOWED_HOSTS, _DRAIN_MS. */
export function readServerConfig(environment: Environment): ServerConfig {
  const read = readEnvironment(environment, {
    HANDRAIL_HOST: z.string().default("127.0.0.1"),
    HANDRAIL_PORT: wholeNumber({ min: 0, max: 65_535 }).default(DEFAULT_PORT),
    HANDRAIL_TLS_CERT_FILE: z.string().optional(),
    HANDRAIL_TLS_KEY_FILE: z.string().optional(),
    HANDRAIL_TOKENS_FILE: z.string().optional(),
    HANDRAIL_ALLOWED_ORIGINS: commaList.default([]),
    HANDRAIL_ALLOWED_HOSTS: commaList.default([]),
    HANDRAIL_DRAIN_MS: wholeNumber({ min: 0, max: 3_600_000, unit: "ms" }).default(10_000),
  });
  return Object.freeze({
    host: read.HANDRAIL_HOST,
    port: read.HANDRAIL_PORT,
    tlsCertFile: read.HANDRAIL_TLS_CERT_FILE,
    tlsKeyFile: read.HANDRAIL_TLS_KEY_FILE,
    tokensFile: read.HANDRAIL_TOKENS_FILE,
    allowedOrigins: read.HANDRAIL_ALLOWED_ORIGINS,
    allowedHosts: read.HANDRAIL_ALLOWED_HOSTS,
    drainMs: read.HANDRAIL_DRAIN_MS,
  });
}
