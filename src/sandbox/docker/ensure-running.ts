import type Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { SandboxError, type Sandbox, type SandboxKey } from "../provider.js";
import { sandboxContainer } from "./container-options.js";
import { sandboxError, type Engine } from "./engine.js";
import { engineRefusal, isConflict, isNoSuchContainer, isNoSuchImage } from "./engine-refusal.js";
import { containerName, generationOf, isOwn } from "./labels.js";

/** Time between two looks at a container that is restarting or being removed, in ms. */
const POLL_MS = 100;

/**
 * The running container of a project: found and revived, or made; one on another network than is set is replaced. Others may do the same or remove it meanwhile: each step
 * looks again at what is there.
 */
export async function ensureRunning(
  engine: Engine,
  key: SandboxKey,
  {
    nextGeneration,
    mayMake = true,
    signal,
  }: { nextGeneration: number; mayMake?: boolean; signal: AbortSignal },
): Promise<Sandbox> {
  const { startTimeoutMs, instance } = engine.settings;
  const deadline = Date.now() + startTimeoutMs;
  let madeId: string | undefined;
  while (Date.now() < deadline) {
    const found = await engine.inspect(containerName(key, engine.settings.instance), signal);
    if (found === undefined) {
      if (!mayMake) throw new SandboxError("gone", "the sandbox does not exist any more");
      madeId = await make(engine, { key, generation: nextGeneration, signal });
      continue;
    }
    if (!isOwn(found.Config.Labels, key, instance)) throw notOwn(found);
    if (found.Id !== madeId && found.HostConfig.NetworkMode !== engine.settings.network) {
      await engine.removeContainer(found.Id);
      mayMake = true;
      continue;
    }
    if (found.State.Status === "running") {
      const generation = generationOf(found.Config.Labels);
      return { key, id: found.Id, generation, created: found.Id === madeId };
    }
    await revive(engine, found, { isNew: found.Id === madeId, signal });
  }
  throw new SandboxError("not-startable", `the sandbox did not start within ${startTimeoutMs} ms`);
}

/** Makes the container; resolves with its id, or with undefined if another made one of the name first. */
async function make(
  engine: Engine,
  { key, generation, signal }: { key: SandboxKey; generation: number; signal: AbortSignal },
): Promise<string | undefined> {
  const { settings } = engine;
  const { processors } = await engine.readFacts({ signal, fresh: false });
  const cpus = Math.min(settings.cpus, processors);
  const shape = sandboxContainer({ key, generation, settings, cpus });
  try {
    const made = await engine.request(
      (abortSignal) => engine.docker.createContainer({ ...shape, abortSignal }),
      { signal, long: true },
    );
    return made.id;
  } catch (error) {
    if (isConflict(error)) return undefined;
    if (isNoSuchImage(error)) throw sandboxError(error, settings.image);
    throw notStartable(error, "made");
  }
}

async function revive(
  engine: Engine,
  found: Docker.ContainerInspectInfo,
  { isNew, signal }: { isNew: boolean; signal: AbortSignal },
): Promise<void> {
  const container = engine.docker.getContainer(found.Id);
  switch (found.State.Status) {
    case "created":
    case "exited":
      await start(engine, container, { isNew, signal });
      return;
    case "paused":
      await tolerate(() =>
        engine.request((abortSignal) => container.unpause({ abortSignal }), { signal, long: true }),
      );
      return;
    case "dead":
      await engine.removeContainer(found.Id);
      return;
    default:
      await sleep(POLL_MS, undefined, { signal });
  }
}

async function start(
  engine: Engine,
  container: Docker.Container,
  { isNew, signal }: { isNew: boolean; signal: AbortSignal },
): Promise<void> {
  try {
    await tolerate(() =>
      engine.request((abortSignal) => container.start({ abortSignal }), { signal, long: true }),
    );
  } catch (error) {
    if (isNew && engineRefusal(error) !== undefined) await engine.removeContainer(container.id);
    throw notStartable(error, "started");
  }
}

/** Runs a request; that it is done already, at odds with the state or the container gone is left to the next look. */
async function tolerate(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    const isDone = engineRefusal(error)?.status === 304;
    if (!isDone && !isConflict(error) && !isNoSuchContainer(error)) throw error;
  }
}

function notStartable(error: unknown, verb: "made" | "started"): unknown {
  const refusal = engineRefusal(error);
  if (refusal === undefined) return error;
  return new SandboxError("not-startable", `the sandbox could not be ${verb}`, {
    hint: `the engine says: ${refusal.text}`,
    cause: error,
  });
}

function notOwn(found: Docker.ContainerInspectInfo): SandboxError {
  return new SandboxError("not-startable", "another installation has a sandbox for this project", {
    hint: `remove the container ${found.Name.replace(/^\//, "")}, or give both services the same instance name`,
  });
}
