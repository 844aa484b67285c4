import { spawnSync } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { readConfig } from "./config/config.js";
import type { Config } from "./config/config.js";
import type { Environment } from "./config/environment.js";
import { createDockerProvider } from "./sandbox/docker/provider.js";
import { createLocalProvider } from "./sandbox/local/provider.js";
import { SandboxError } from "./sandbox/provider.js";

/** What was looked at, what came of it, and what to do about it. */
export interface Finding {
  readonly subject: string;
  /** `warn`: it works, but less well than it could. `fail`: the service does not start so. */
  readonly state: "ok" | "warn" | "fail";
  readonly found: string;
  /** How to mend it. Empty if nothing is to be done. */
  readonly remedy: string;
}

const OLDEST_NODE = [20, 19] as const;
const CHECK_MS = 5000;

/** Looks at what the service needs on this machine. Starts nothing that stays. */
export async function diagnose(environment: Environment, { dist }: { dist: URL }): Promise<Finding[]> {
  const findings = [nodeVersion(), launcher(dist), locking()];
  let config: Config;
  try {
    config = readConfig(environment, { isRoot: process.getuid?.() === 0 });
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [...findings, { subject: "settings", state: "fail", found, remedy: "see docs/configuration.md" }];
  }
  findings.push({ subject: "settings", state: "ok", found: "all variables can be read", remedy: "" });
  const [docker, local] = await Promise.all([dockerEngine(config), localSandboxes(config)]);
  const isUsable = docker.state !== "fail" || local.some(({ state }) => state !== "fail");
  const wanted = config.sandbox.provider;
  return [
    ...findings,
    await dataDirectory(config),
    await port(config),
    { ...docker, state: docker.state === "fail" && wanted !== "docker" && isUsable ? "warn" : docker.state },
    ...local.map((finding) =>
      finding.state === "fail" && wanted !== "local" && isUsable
        ? { ...finding, state: "warn" as const }
        : finding,
    ),
  ];
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return {
    subject: "node",
    state: isOld ? "fail" : "ok",
    found: process.versions.node,
    remedy: isOld ? `install Node ${OLDEST_NODE.join(".")} or newer` : "",
  };
}

function launcher(dist: URL): Finding {
  const isThere = existsSync(new URL("launcher", dist));
  return {
    subject: "launcher",
    state: isThere ? "ok" : "warn",
    found: isThere ? "built" : "not built: processes are supervised by their marker and group alone",
    remedy: isThere ? "" : "install a C compiler (apt-get install gcc libc6-dev) and run npm run build",
  };
}

/** The state directory is locked by a program of util-linux. */
function locking(): Finding {
  const isThere = spawnSync("flock", ["--version"], { stdio: "ignore" }).error === undefined;
  return {
    subject: "flock",
    state: isThere ? "ok" : "fail",
    found: isThere ? "is there" : "is not there, so the state directory cannot be locked",
    remedy: isThere ? "" : "install util-linux",
  };
}

async function dataDirectory({ sandbox: { dataDir } }: Config): Promise<Finding> {
  try {
    await access(nearestExisting(dataDir), constants.W_OK | constants.X_OK);
    return { subject: "data directory", state: "ok", found: dataDir, remedy: "" };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return {
      subject: "data directory",
      state: "fail",
      found: `${dataDir} cannot be written (${code})`,
      remedy: "set HANDRAIL_DATA_DIR to a directory that this user may write",
    };
  }
}

/** The path itself, or the nearest directory above it that is there. */
function nearestExisting(path: string): string {
  let found = path;
  while (!existsSync(found) && dirname(found) !== found) found = dirname(found);
  return found;
}

async function port({ server }: Config): Promise<Finding> {
  const probe = createServer();
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    probe.once("error", resolve);
    probe.listen(server.port, server.host, () => probe.close(() => resolve(undefined)));
  });
  const where = `${server.host}:${server.port}`;
  if (failure === undefined) return { subject: "port", state: "ok", found: `${where} is free`, remedy: "" };
  return {
    subject: "port",
    state: "warn",
    found: `${where} cannot be listened on (${failure.code ?? failure.message})`,
    remedy: "is a service running already? Else set HANDRAIL_PORT",
  };
}

async function dockerEngine({ sandbox }: Config): Promise<Finding> {
  const { image, instance, dockerSocket } = sandbox;
  const docker = createDockerProvider({ image, instance, socketPath: dockerSocket });
  try {
    await docker.check(AbortSignal.timeout(CHECK_MS));
    const { warnings } = docker.describe();
    return {
      subject: "docker",
      state: warnings.length === 0 ? "ok" : "warn",
      found: `an engine answers and has the image ${image}`,
      remedy: warnings.join("; "),
    };
  } catch (error) {
    return refused("docker", error, "start a Docker engine, or set DOCKER_HOST");
  } finally {
    await docker.close();
  }
}

async function localSandboxes({ sandbox }: Config): Promise<Finding[]> {
  try {
    const local = await createLocalProvider({ dataDir: sandbox.dataDir, uid: sandbox.localUid });
    const { isolation, warnings } = local.describe();
    await local.close();
    const isWalled = isolation === "bubblewrap";
    return [
      {
        subject: "bubblewrap",
        state: isWalled ? "ok" : "warn",
        found: isWalled ? "works" : "local sandboxes are plain processes",
        remedy: warnings.join("; "),
      },
    ];
  } catch (error) {
    return [refused("bubblewrap", error, "apt-get install bubblewrap")];
  }
}

function refused(subject: string, error: unknown, remedy: string): Finding {
  const found = error instanceof Error ? error.message : String(error);
  const hint = error instanceof SandboxError && error.hint !== "" ? error.hint : remedy;
  return { subject, state: "fail", found, remedy: hint };
}
