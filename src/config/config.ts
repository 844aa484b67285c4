import { readCallConfig } from "./call-config.js";
import type { CallConfig } from "./call-config.js";
import { readEgressConfig } from "./egress-config.js";
import type { EgressConfig } from "./egress-config.js";
import type { Environment } from "./environment.js";
import { readLogConfig } from "./log-config.js";
import type { LogConfig } from "./log-config.js";
import { readSandboxConfig } from "./sandbox-config.js";
import type { SandboxConfig } from "./sandbox-config.js";
import { readServerConfig } from "./server-config.js";
import type { ServerConfig } from "./server-config.js";

/** The whole configuration of the service. */
export interface Config {
  readonly server: ServerConfig;
  readonly sandbox: SandboxConfig;
  readonly calls: CallConfig;
  readonly egress: EgressConfig;
  readonly log: LogConfig;
  /** True if the service runs as root. */
  readonly isRoot: boolean;
  /** Names of the variables that are set, for the conditions of tools. */
  readonly environmentNames: ReadonlySet<string>;
}

/** Reads the configuration. Throws ConfigError with one line that names the variable. */
export function readConfig(environment: Environment, options: { isRoot: boolean }): Config {
  const names = Object.keys(environment).filter((name) => (environment[name] ?? "") !== "");
  return Object.freeze({
    server: readServerConfig(environment),
    sandbox: readSandboxConfig(environment, options),
    calls: readCallConfig(environment),
    egress: readEgressConfig(environment),
    log: readLogConfig(environment),
    isRoot: options.isRoot,
    environmentNames: new Set(names),
  });
}
