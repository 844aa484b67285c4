import { finished } from "node:stream/promises";
import Docker from "dockerode";

/** The engine's version, or nothing if none answers. */
export async function engineVersion(): Promise<string | undefined> {
  try {
    return (await new Docker().version()).Version;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** The container of an installation that has one project. */
export async function findContainer(instance: string): Promise<Docker.Container> {
  const docker = new Docker();
  const [found] = await docker.listContainers({ filters: filtersOf(instance) });
  if (found === undefined) throw new Error("the measured project has no container");
  return docker.getContainer(found.Id);
}

/** Runs a command by the engine's API, and reads its output and its exit code. */
export async function execByApi(container: Docker.Container, command: readonly string[]): Promise<void> {
  const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  stream.resume();
  await finished(stream);
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`an exec ended with ${ExitCode ?? "no code"}`);
}

/** Removes the containers and volumes of an installation. */
export async function removeSandboxes(instance: string): Promise<void> {
  const docker = new Docker();
  const filters = filtersOf(instance);
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  const { Volumes } = await docker.listVolumes({ filters });
  for (const { Name } of Volumes) await docker.getVolume(Name).remove();
}

function filtersOf(instance: string) {
  return { label: [`handrail.instance=${instance}`] };
}
