import { pino } from "pino";
import { compose } from "./compose.js";
import { readConfig } from "./config/config.js";
import { ConfigError } from "./config/environment.js";
import { SandboxError } from "./sandbox/provider.js";
import { StateError } from "./state/store.js";
import { processEnvironment } from "./config/process-environment.js";

/** Exit code of a wrong setting, as in sysexits.h (EX_CONFIG). */
const EXIT_CONFIG = 78;

/**
 * Reads the configuration, serves, and drains on SIGINT or SIGTERM. A second signal ends it at once. `dist` is where the
 * built programs are.
 */
export async function serve(dist: URL): Promise<void> {
  try {
    const config = readConfig(processEnvironment(), { isRoot: process.getuid?.() === 0 });
    const log = pino({ level: config.log.level }, pino.destination({ dest: 2, sync: true }));
    const service = await compose(config, { log, dist });
    for (const line of service.greeting) console.log(line);
    drainOnSignal(() => service.drain());
  } catch (error) {
    if (!isOperatorError(error)) throw error;
    console.error(`handrail: ${error.message}`);
    process.exitCode = EXIT_CONFIG;
  }
}

function isOperatorError(error: unknown): error is Error {
  const isKnown =
    error instanceof ConfigError || error instanceof SandboxError || error instanceof StateError;
  if (isKnown || error instanceof RangeError) return true;
  return error instanceof Error && "syscall" in error && error.syscall === "listen";
}

function drainOnSignal(drain: () => Promise<void>): void {
  let draining = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (draining) process.exit(130);
    draining = true;
    console.log(`${signal}: finishing running calls; once more ends them at once`);
    void drain().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error("handrail: the drain failed:", error);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}
