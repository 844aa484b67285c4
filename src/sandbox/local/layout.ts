import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxKey } from "../provider.js";
import { sandboxHash } from "../sandbox-name.js";
import type { LocalIdentity } from "./identity.js";

/** The directories and files of one project. */
export interface ProjectLayout {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  /** Private directory of the agent. Used without bubblewrap. */
  readonly runtime: string;
  /** Temporary files. Used without bubblewrap. */
  readonly temporary: string;
  /** Counts the sandboxes of the project. */
  readonly generationFile: string;
  /** Names the living sandbox; absent if none lives. */
  readonly liveFile: string;
}

/** Where the sandboxes are. */
export function sandboxesDir(dataDir: string): string {
  return join(dataDir, "sandboxes");
}

/** Where the files are that every sandbox sees in /etc. */
export function etcDir(dataDir: string): string {
  return join(dataDir, "etc");
}

/** The layout of a project. */
export function projectLayout(dataDir: string, key: SandboxKey): ProjectLayout {
  const root = join(sandboxesDir(dataDir), sandboxHash(key));
  return {
    root,
    workspace: join(root, "workspace"),
    home: join(root, "home"),
    runtime: join(root, "runtime"),
    temporary: join(root, "tmp"),
    generationFile: join(root, "generation"),
    liveFile: join(root, "live"),
  };
}

/** Makes the directories that are shared by all projects, and the files of /etc. */
export async function prepareDataDir(dataDir: string, { uid, gid }: LocalIdentity): Promise<void> {
  for (const directory of [dataDir, sandboxesDir(dataDir), etcDir(dataDir)]) {
    const made = await mkdir(directory, { recursive: true });
    if (made !== undefined || directory !== dataDir) await chmod(directory, 0o711);
  }
  const etc = etcDir(dataDir);
  const files = {
    passwd: `agent:x:${uid}:${gid}:agent:/home/agent:/bin/bash\n`,
    group: `agent:x:${gid}:\n`,
    hosts: "127.0.0.1 localhost\n::1 localhost\n",
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(etc, name), content, { mode: 0o644 });
  }
}

/** Makes the directories of a project and gives them to the user of commands. */
export async function prepareProject(layout: ProjectLayout, identity: LocalIdentity): Promise<void> {
  await mkdir(layout.root, { recursive: true });
  await chmod(layout.root, 0o711);
  for (const directory of [layout.workspace, layout.home, layout.runtime, layout.temporary]) {
    const made = await mkdir(directory, { recursive: true, mode: 0o700 });
    if (made !== undefined && identity.drops) await chown(directory, identity.uid, identity.gid);
  }
}

/** Gives the top directories of a project to the user of commands, and lets that user write. */
export async function giveToUser(layout: ProjectLayout, identity: LocalIdentity): Promise<void> {
  for (const directory of [layout.workspace, layout.home]) {
    if (identity.drops) await chown(directory, identity.uid, identity.gid);
    const { mode } = await stat(directory);
    await chmod(directory, (mode & 0o777) | 0o700);
  }
}

/** Removes everything of a project. */
export async function removeProject(layout: ProjectLayout): Promise<void> {
  await rm(layout.root, { recursive: true, force: true });
}

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True for the error of a path that does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
