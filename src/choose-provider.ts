import { ConfigError } from "./config/environment.js";
import type { SandboxConfig } from "./config/sandbox-config.js";
import { createDockerProvider } from "./sandbox/docker/provider.js";
import { createLocalProvider } from "./sandbox/local/provider.js";
import { SandboxError } from "./sandbox/provider.js";
import type { SandboxProvider } from "./sandbox/provider.js";

/** The provider that the service uses, and what to tell the person who started it. */
export interface ChosenProvider {
  readonly provider: SandboxProvider;
  readonly advice: readonly string[];
}

/** How long an engine may take to answer before local sandboxes are taken, in ms. */
const ENGINE_ANSWER_MS = 5000;

/** Takes the provider that is asked for, or the best that works. Throws SandboxError if none does, ConfigError. */
export async function chooseProvider(config: SandboxConfig, isRoot: boolean): Promise<ChosenProvider> {
  const ownNetwork = config.network === "egress" || config.network === "none";
  const local = () => {
    if (!ownNetwork) throw namedNetwork();
    return createLocalProvider({ dataDir: config.dataDir, ...(isRoot ? { uid: config.localUid } : {}) });
  };
  if (config.provider === "local") return chosen(await local(), []);
  const docker = createDockerProvider({
    ...(config.runtime === undefined ? {} : { runtime: config.runtime }),
    image: config.image,
    instance: config.instance,
    socketPath: config.dockerSocket,
    memoryBytes: config.memoryBytes,
    cpus: config.cpus,
    pidsLimit: config.pidsLimit,
    leaseMs: config.sandboxIdleMs + config.leaseMs,
    network: ownNetwork ? "none" : config.network,
  });
  try {
    await docker.check(AbortSignal.timeout(ENGINE_ANSWER_MS));
    return chosen(docker, []);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    if (config.provider === "docker")
      return chosen(docker, [`Sandboxes cannot be made yet: ${words(error)}`]);
    await docker.close();
    return chosen(await local(), [`For containers, which are stronger: ${words(error)}`]);
  }
}

function namedNetwork(): ConfigError {
  return new ConfigError(
    "HANDRAIL_SANDBOX_NETWORK: local sandboxes have no networks of an engine; set egress or none, or use Docker",
  );
}

function chosen(provider: SandboxProvider, advice: readonly string[]): ChosenProvider {
  const { isolation, warnings } = provider.describe();
  return {
    provider,
    advice: [`Sandboxes: ${isolation}`, ...warnings.map((line) => `  ! ${line}`), ...advice],
  };
}

function words({ message, hint }: SandboxError): string {
  return hint === "" ? message : `${message}. ${hint}`;
}
