import { z } from "zod";
import { SandboxError, type SandboxKey } from "../provider.js";
import { repairContainer } from "./container-options.js";
import { sandboxError, type Engine } from "./engine.js";

const Ended = z.object({ StatusCode: z.number() });

/** Gives the volumes of a project to the user of commands, by a container that lives for that alone. */
export async function repairStorage(engine: Engine, key: SandboxKey, signal: AbortSignal): Promise<void> {
  const { docker, settings } = engine;
  let id: string | undefined;
  try {
    const shape = repairContainer(key, settings);
    const container = await engine.request(
      (abortSignal) => docker.createContainer({ ...shape, abortSignal }),
      { signal, long: true },
    );
    id = container.id;
    await engine.request((abortSignal) => container.start({ abortSignal }), { signal, long: true });
    const { StatusCode } = Ended.parse(
      await engine.request((abortSignal) => container.wait({ abortSignal }), {
        signal,
        long: true,
      }),
    );
    if (StatusCode !== 0) {
      throw new SandboxError("not-startable", "the project's storage cannot be made writable", {
        hint: `chown of the volumes ended with ${StatusCode}; look at their driver and owner`,
      });
    }
  } catch (error) {
    throw sandboxError(error, settings.image);
  } finally {
    if (id !== undefined) await engine.removeContainer(id);
  }
}
