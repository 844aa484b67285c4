import Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { SandboxError } from "../provider.js";
import type {
  AgentPipe,
  AgentSurroundings,
  ProviderDescription,
  Sandbox,
  SandboxKey,
  SandboxPaths,
  SandboxProvider,
  SandboxState,
} from "../provider.js";
import { bootAgent } from "./boot-agent.js";
import { CONTAINER_PATHS, containerSurroundings } from "./container-options.js";
import { Engine, imageMissing, sandboxError } from "./engine.js";
import { isNoSuchImage } from "./engine-refusal.js";
import { ensureRunning } from "./ensure-running.js";
import { containerName, generationOf, homeVolumeName, isOwn } from "./labels.js";
import { dockerSettings, type DockerProviderOptions } from "./options.js";
import { repairStorage } from "./repair-storage.js";
import { dockerWarnings } from "./warnings.js";

const DEFAULT_SOCKET = "/var/run/docker.sock";

/** Looks at a container that is being removed: how often, and the time between, in ms. */
const REMOVAL_LOOKS = 40;
const REMOVAL_POLL_MS = 50;

/** Sandboxes as containers of a Docker engine, one container and two volumes a project. */
export function createDockerProvider(options: DockerProviderOptions): SandboxProvider {
  const docker =
    options.docker ?? new Docker({ socketPath: options.socketPath ?? DEFAULT_SOCKET, host: "", timeout: 0 });
  return new DockerProvider(new Engine(docker, dockerSettings(options)));
}

class DockerProvider implements SandboxProvider {
  readonly name = "docker";
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  describe(): ProviderDescription {
    return {
      isolation: "docker",
      warnings: dockerWarnings(this.#engine.settings, this.#engine.knownFacts),
    };
  }

  async check(signal: AbortSignal): Promise<void> {
    const { docker, settings } = this.#engine;
    try {
      await this.#engine.readFacts({ signal, fresh: true });
      await this.#engine.request(() => docker.getImage(settings.image).inspect(), { signal });
    } catch (error) {
      throw isNoSuchImage(error) ? imageMissing(settings.image, error) : sandboxError(error, settings.image);
    }
  }

  paths(): SandboxPaths {
    return CONTAINER_PATHS;
  }

  surroundings(): AgentSurroundings {
    return containerSurroundings(this.#engine.settings);
  }

  async getOrCreate(
    key: SandboxKey,
    options: { nextGeneration: number; mayMake?: boolean; signal: AbortSignal },
  ): Promise<Sandbox> {
    return await ensureRunning(this.#engine, key, options);
  }

  async find(key: SandboxKey): Promise<Sandbox | undefined> {
    const { instance } = this.#engine.settings;
    const found = await this.#engine.inspect(containerName(key, instance));
    if (found === undefined || !isOwn(found.Config.Labels, key, instance)) return undefined;
    return { key, id: found.Id, generation: generationOf(found.Config.Labels), created: false };
  }

  async exists(key: SandboxKey): Promise<boolean> {
    return await this.#engine.hasVolume(containerName(key, this.#engine.settings.instance));
  }

  async stop(sandboxId: string): Promise<void> {
    await this.#engine.stopContainer(sandboxId);
  }

  async running(): Promise<readonly string[]> {
    return await this.#engine.runningContainers();
  }

  async state(sandbox: Sandbox): Promise<SandboxState> {
    try {
      for (let look = 0; look < REMOVAL_LOOKS; look += 1) {
        const found = await this.#engine.inspect(sandbox.id);
        if (found === undefined) return "gone";
        if (found.State.Status !== "removing") return stateOf(found.State.Status);
        await sleep(REMOVAL_POLL_MS);
      }
      return "stopped";
    } catch {
      return "unreachable";
    }
  }

  async bootAgent(
    sandbox: Sandbox,
    options: { bootScript: string; signal: AbortSignal },
  ): Promise<AgentPipe> {
    return await bootAgent(this.#engine, sandbox, options);
  }

  async repairStorage(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
    await repairStorage(this.#engine, sandbox.key, signal);
  }

  async remove(sandbox: Sandbox): Promise<void> {
    await this.#engine.removeContainer(sandbox.id);
  }

  async destroy(key: SandboxKey): Promise<void> {
    const found = await this.#engine.inspect(containerName(key, this.#engine.settings.instance));
    if (found !== undefined) {
      if (!isOwn(found.Config.Labels, key, this.#engine.settings.instance)) {
        throw new SandboxError("internal", "the sandbox of this project belongs to another installation");
      }
      await this.#engine.removeContainer(found.Id);
    }
    await this.#engine.removeVolume(containerName(key, this.#engine.settings.instance));
    await this.#engine.removeVolume(homeVolumeName(key, this.#engine.settings.instance));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function stateOf(status: string): SandboxState {
  switch (status) {
    case "running":
      return "running";
    case "paused":
      return "paused";
    case "restarting":
      return "restarting";
    default:
      return "stopped";
  }
}
