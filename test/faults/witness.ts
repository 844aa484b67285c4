import { readFile, readdir } from "node:fs/promises";
import { PassThrough } from "node:stream";
import Docker from "dockerode";

const IMAGE = "handrail-sandbox:latest";
const docker = new Docker();

/** How often each call bore witness in the workspaces of an installation, read past the service. */
export async function witnessedCalls(instance: string): Promise<Map<string, number>> {
  const { Volumes } = await docker.listVolumes({ filters: labelOf(instance) });
  const workspaces = Volumes.filter(({ Name }) => !Name.endsWith("-home"));
  const seen = new Map<string, number>();
  if (workspaces.length === 0) return seen;
  const text = await readInContainer(
    workspaces.map(({ Name }, i) => `${Name}:/volumes/${i}:ro`),
    "for file in /volumes/*/witness; do [ ! -e $file ] || cat $file; done",
  );
  for (const line of text.split("\n")) if (line !== "") seen.set(line, (seen.get(line) ?? 0) + 1);
  return seen;
}

/** The containers of an installation. */
export async function containersOf(instance: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: labelOf(instance) });
}

/** Processes of the machine, in or outside containers, that carry the mark or are agents of these containers. */
export async function processesOf(options: {
  mark: string;
  containerIds: readonly string[];
}): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const command = (await readIfThere(`/proc/${pid}/cmdline`)).replaceAll("\0", " ").trim();
    const name = (await readIfThere(`/proc/${pid}/comm`)).trim();
    const groups = await readIfThere(`/proc/${pid}/cgroup`);
    const isAgent =
      name.startsWith("handrail-") &&
      options.containerIds.some((containerId) => groups.includes(containerId));
    if (isAgent || command.includes(options.mark)) found.push(`${pid} ${name}: ${command}`);
  }
  return found;
}

async function readInContainer(binds: string[], script: string): Promise<string> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const chunks: Buffer[] = [];
  const errors: Buffer[] = [];
  stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [{ StatusCode }, container] = (await docker.run(IMAGE, ["sh", "-c", script], [stdout, stderr], {
    Tty: false,
    User: "0:0",
    Entrypoint: [],
    HostConfig: { Binds: binds, NetworkMode: "none" },
  })) as [{ StatusCode: number }, Docker.Container];
  await container.remove({ force: true });
  if (StatusCode !== 0) throw new Error(`the witness could not be read: ${Buffer.concat(errors).toString()}`);
  return Buffer.concat(chunks).toString();
}

/** The text of a file of a process; empty if the process has ended. */
async function readIfThere(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

function labelOf(instance: string): { label: string[] } {
  return { label: [`handrail.instance=${instance}`] };
}
