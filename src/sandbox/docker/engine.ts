import type Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { SandboxError } from "../provider.js";
import { engineCall } from "./engine-call.js";
import { readEngineFacts, type EngineFacts } from "./engine-facts.js";
import { engineRefusal, isConflict, isNoSuchContainer, isNoSuchImage } from "./engine-refusal.js";
import { LABEL } from "./labels.js";
import type { DockerSettings } from "./options.js";

/** Time between two looks at something that the engine is doing, in ms. */
const POLL_MS = 50;

/** The engine's requests that the provider needs, each with its time limit and its failures as SandboxError. */
export class Engine {
  readonly docker: Docker;
  readonly settings: DockerSettings;
  #facts: EngineFacts | undefined;

  constructor(docker: Docker, settings: DockerSettings) {
    this.docker = docker;
    this.settings = settings;
  }

  /** What was last read of the engine; undefined before `readFacts`. */
  get knownFacts(): EngineFacts | undefined {
    return this.#facts;
  }

  /** Reads what the engine is; once it is known, only `fresh` asks again. */
  async readFacts({ signal, fresh }: { signal?: AbortSignal; fresh: boolean }): Promise<EngineFacts> {
    if (this.#facts === undefined || fresh) {
      this.#facts = await readEngineFacts(this.docker, {
        timeoutMs: this.settings.requestTimeoutMs,
        ...(signal === undefined ? {} : { signal }),
      });
    }
    return this.#facts;
  }

  /** One request; `long` for those that make or start something. */
  async request<T>(
    ask: (abortSignal: AbortSignal) => Promise<T>,
    { signal, long = false }: { signal?: AbortSignal; long?: boolean } = {},
  ): Promise<T> {
    return await engineCall(ask, {
      timeoutMs: long ? this.settings.startTimeoutMs : this.settings.requestTimeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** The container of this name or id; undefined if the engine says that there is none. */
  async inspect(nameOrId: string, signal?: AbortSignal): Promise<Docker.ContainerInspectInfo | undefined> {
    try {
      return await this.request(
        (abortSignal) => this.docker.getContainer(nameOrId).inspect({ abortSignal }),
        signal === undefined ? {} : { signal },
      );
    } catch (error) {
      if (isNoSuchContainer(error)) return undefined;
      throw sandboxError(error, this.settings.image);
    }
  }

  /** Removes a container and waits until it is gone. One that is gone, or being removed, is a success. */
  async removeContainer(nameOrId: string): Promise<void> {
    try {
      await this.request(
        (abortSignal) => this.docker.getContainer(nameOrId).remove({ force: true, v: false, abortSignal }),
        { long: true },
      );
    } catch (error) {
      if (isNoSuchContainer(error)) return;
      if (!isConflict(error)) throw sandboxError(error, this.settings.image);
      await this.#untilGone(nameOrId);
    }
  }

  /** Kills all processes of a container, which stays. One that is stopped or gone is a success. */
  async stopContainer(id: string): Promise<void> {
    try {
      await this.request((abortSignal) => this.docker.getContainer(id).stop({ t: 0, abortSignal }), {
        long: true,
      });
    } catch (error) {
      if (!isNoSuchContainer(error) && engineRefusal(error)?.status !== 304)
        throw sandboxError(error, this.settings.image);
    }
  }

  /** Ids of the running sandboxes of this installation. */
  async runningContainers(): Promise<readonly string[]> {
    const label = [`${LABEL.instance}=${this.settings.instance}`, LABEL.generation];
    try {
      const found = await this.request((abortSignal) =>
        this.docker.listContainers({ filters: { label, status: ["running"] }, abortSignal }),
      );
      return found.map(({ Id }) => Id);
    } catch (error) {
      throw sandboxError(error, this.settings.image);
    }
  }

  /** True if there is a volume of that name. */
  async hasVolume(name: string): Promise<boolean> {
    try {
      await this.request((abortSignal) => this.docker.getVolume(name).inspect({ abortSignal }));
      return true;
    } catch (error) {
      if (engineRefusal(error)?.status === 404) return false;
      throw sandboxError(error, this.settings.image);
    }
  }

  /** Removes a volume. One that does not exist is a success. */
  async removeVolume(name: string): Promise<void> {
    try {
      await this.request((abortSignal) => this.docker.getVolume(name).remove({ abortSignal }));
    } catch (error) {
      if (engineRefusal(error)?.status !== 404) throw sandboxError(error, this.settings.image);
    }
  }

  async #untilGone(nameOrId: string): Promise<void> {
    const deadline = Date.now() + this.settings.startTimeoutMs;
    while ((await this.inspect(nameOrId)) !== undefined) {
      if (Date.now() > deadline) {
        throw new SandboxError(
          "internal",
          `the sandbox was not removed within ${this.settings.startTimeoutMs} ms`,
        );
      }
      await sleep(POLL_MS);
    }
  }
}

/** Any failure of an engine request as a SandboxError; the engine's own words stand in the hint, for operators. */
export function sandboxError(error: unknown, image: string): unknown {
  const refusal = engineRefusal(error);
  if (refusal === undefined) return error;
  if (isNoSuchContainer(error))
    return new SandboxError("gone", "the sandbox does not exist any more", { cause: error });
  if (isNoSuchImage(error)) return imageMissing(image, error);
  return new SandboxError("internal", `the Docker engine refused a request with status ${refusal.status}`, {
    hint: `the engine says: ${refusal.text}`,
    cause: error,
  });
}

/** The image is not there, and what to run. */
export function imageMissing(image: string, cause: unknown): SandboxError {
  const command = image.startsWith("handrail-sandbox") ? "npm run image" : `docker pull ${image}`;
  return new SandboxError("image-missing", `the sandbox image ${image} is not on the Docker engine`, {
    hint: `run \`${command}\``,
    cause,
  });
}
