import Docker from "dockerode";
import { randomUUID } from "node:crypto";
import { createDockerProvider } from "../../../src/sandbox/docker/provider.js";
import type { ProviderUnderTest } from "../../contracts/sandbox-provider.js";

/** The image that scripts/sandbox-image.sh makes. */
export const SANDBOX_IMAGE = "handrail-sandbox:latest";

/** The engine that tests use. */
export const docker = new Docker({ socketPath: "/var/run/docker.sock" });

/** A docker provider of an installation of its own, which leaves nothing behind. */
export function dockerProviderUnderTest(): ProviderUnderTest & { instance: string } {
  const instance = `test-${randomUUID()}`;
  const make = () => createDockerProvider({ image: SANDBOX_IMAGE, instance });
  return {
    instance,
    provider: make(),
    again: () => Promise.resolve(make()),
    cleanUp: () => removeInstance(instance),
  };
}

/** Removes every container and volume of an installation. */
export async function removeInstance(instance: string): Promise<void> {
  const filters = { label: [`handrail.instance=${instance}`] };
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    await docker.getContainer(Id).remove({ force: true });
  }
  const { Volumes } = await docker.listVolumes({ filters });
  for (const { Name } of Volumes) await docker.getVolume(Name).remove();
}
