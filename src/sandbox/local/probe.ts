import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SandboxError } from "../provider.js";
import { bwrapArguments, systemArguments } from "./bwrap-arguments.js";
import type { LocalIdentity } from "./identity.js";
import { prepareDataDir, sandboxesDir, prepareProject } from "./layout.js";
import { ProcessPipe } from "./process-pipe.js";
import { spawnPiped } from "./spawn-piped.js";

/** What works on this machine, and why not. */
export interface LocalProbe {
  /** The bubblewrap program if a Node process was seen to run in it as the user of commands. */
  readonly bwrapPath: string | undefined;
  /** Why bubblewrap cannot be used. Empty if it can. */
  readonly reason: string;
  /** The Node program with all symbolic links followed. */
  readonly nodePath: string;
  /** The machine's part of bubblewrap's arguments. */
  readonly system: readonly string[];
  /** setpriv, which takes from a plain process the way to gain rights; undefined if it is not there. */
  readonly setprivPath: string | undefined;
}

const PROGRAM_DIRS = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

const PROBE_TIMEOUT_MS = 10_000;

/** Finds out by running it whether bubblewrap works here. Throws SandboxError if not even a plain process can. */
export async function probeLocal({
  dataDir,
  identity,
  bwrapPath,
  nodePath,
}: {
  dataDir: string;
  identity: LocalIdentity;
  /** Default: looked up in the usual places. */
  bwrapPath?: string | undefined;
  nodePath: string;
}): Promise<LocalProbe> {
  await prepareDataDir(dataDir, identity);
  if (identity.drops) await requirePassage(dataDir);
  const node = await realpath(nodePath);
  const system = await systemArguments(node);
  const found = bwrapPath ?? (await findProgram("bwrap"));
  const reason =
    found === undefined
      ? "bubblewrap is not installed"
      : await tryBwrap(found, { dataDir, identity, node, system });
  return {
    bwrapPath: reason === "" ? found : undefined,
    reason,
    nodePath: node,
    system,
    setprivPath: await findProgram("setpriv"),
  };
}

async function tryBwrap(
  bwrap: string,
  options: { dataDir: string; identity: LocalIdentity; node: string; system: readonly string[] },
): Promise<string> {
  const { dataDir, identity, node, system } = options;
  const root = await mkdtemp(join(sandboxesDir(dataDir), "probe-"));
  const layout = {
    root,
    workspace: join(root, "workspace"),
    home: join(root, "home"),
    runtime: join(root, "runtime"),
    temporary: join(root, "tmp"),
    generationFile: join(root, "generation"),
    liveFile: join(root, "live"),
  };
  try {
    await prepareProject(layout, identity);
    const args = bwrapArguments({ system, dataDir, layout, identity, env: {}, temporaryBytes: 1024 * 1024 });
    return await runProbe(
      [bwrap, ...args, node, "-e", "process.stdout.write(String(process.getuid()))"],
      identity,
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Runs the probe; resolves with an empty string if it printed the user id of commands, else with why it did not. */
async function runProbe(argv: readonly [string, ...string[]], identity: LocalIdentity): Promise<string> {
  try {
    const child = await spawnPiped(argv, { identity, env: {} });
    const pipe = new ProcessPipe(child);
    pipe.on("error", () => undefined);
    const timer = setTimeout(() => child.kill("SIGKILL"), PROBE_TIMEOUT_MS);
    let output = "";
    pipe.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    clearTimeout(timer);
    if (code === 0 && output === String(identity.uid)) return "";
    const [firstLine = ""] = pipe.stderrTail().trim().split("\n");
    return `bubblewrap does not work here: ${firstLine || `it ended with ${code ?? "a signal"}`}`;
  } catch (error) {
    if (error instanceof SandboxError) return `bubblewrap does not work here: ${error.message}`;
    throw error;
  }
}

/** Throws unless every directory above may be passed by users other than its owner. */
async function requirePassage(dataDir: string): Promise<void> {
  for (let directory = await realpath(dataDir); ; directory = dirname(directory)) {
    const { mode } = await stat(directory);
    if ((mode & constants.S_IXOTH) === 0) {
      throw new SandboxError(
        "not-startable",
        "the data directory of local sandboxes cannot be reached by commands",
        {
          hint: `let other users pass: chmod o+x ${directory}`,
        },
      );
    }
    if (directory === dirname(directory)) return;
  }
}

async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of PROGRAM_DIRS) {
    const path = join(directory, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return undefined;
}
