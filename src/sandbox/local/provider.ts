import { dirname } from "node:path";
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
import { AgentProcesses } from "./agent-processes.js";
import { BWRAP_PATHS, bwrapArguments } from "./bwrap-arguments.js";
import { adoptOrBegin, endLife, livingState, readLive } from "./generation.js";
import { localIdentity, type LocalIdentity } from "./identity.js";
import { giveToUser, prepareProject, projectLayout, readIfThere, removeProject } from "./layout.js";
import type { LocalIsolation, LocalProviderOptions } from "./options.js";
import { probeLocal, type LocalProbe } from "./probe.js";
import { ProcessPipe } from "./process-pipe.js";
import { spawnPiped } from "./spawn-piped.js";
import { localWarnings } from "./warnings.js";

const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const DEFAULT_TEMPORARY_BYTES = 512 * 1024 * 1024;

/**
 * Sandboxes on this machine, without a container engine. Finds out what works first. Throws SandboxError if no sandbox
 * could be made, or none of the isolation that was asked for.
 */
export async function createLocalProvider(options: LocalProviderOptions): Promise<SandboxProvider> {
  const own = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  if (process.platform !== "linux") {
    throw new SandboxError("not-startable", `local sandboxes need Linux, and this is ${process.platform}`);
  }
  const identity = localIdentity(options.uid, own);
  const probe = await probeLocal({
    dataDir: options.dataDir,
    identity,
    bwrapPath: options.bwrapPath,
    nodePath: options.nodePath ?? process.execPath,
  });
  const wanted = options.isolation ?? "auto";
  if (wanted === "bubblewrap" && probe.bwrapPath === undefined) {
    throw new SandboxError("not-startable", probe.reason, {
      hint: "install bubblewrap, or allow user namespaces",
    });
  }
  const isolation = wanted === "auto" ? (probe.bwrapPath === undefined ? "process" : "bubblewrap") : wanted;
  return new LocalProvider({ options, identity, probe, isolation });
}

class LocalProvider implements SandboxProvider {
  readonly name = "local";
  readonly #dataDir: string;
  readonly #temporaryBytes: number;
  readonly #identity: LocalIdentity;
  readonly #probe: LocalProbe;
  readonly #isolation: LocalIsolation;
  readonly #agents = new AgentProcesses();

  constructor(parts: {
    options: LocalProviderOptions;
    identity: LocalIdentity;
    probe: LocalProbe;
    isolation: LocalIsolation;
  }) {
    this.#dataDir = parts.options.dataDir;
    this.#temporaryBytes = parts.options.temporaryBytes ?? DEFAULT_TEMPORARY_BYTES;
    this.#identity = parts.identity;
    this.#probe = parts.probe;
    this.#isolation = parts.isolation;
  }

  describe(): ProviderDescription {
    return {
      isolation: this.#isolation,
      warnings: localWarnings({ isolation: this.#isolation, probe: this.#probe, identity: this.#identity }),
    };
  }

  check(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return Promise.resolve();
  }

  paths(key: SandboxKey): SandboxPaths {
    if (this.#isolation === "bubblewrap") return BWRAP_PATHS;
    const { workspace, home, runtime } = projectLayout(this.#dataDir, key);
    return { workspace, home, runtime };
  }

  surroundings(key: SandboxKey): AgentSurroundings {
    const { workspace, home, temporary } = projectLayout(this.#dataDir, key);
    const isWalled = this.#isolation === "bubblewrap";
    const nodeDir = dirname(this.#probe.nodePath);
    const path = USUAL_PATH.split(":").includes(nodeDir) ? USUAL_PATH : `${nodeDir}:${USUAL_PATH}`;
    return {
      readRoots: isWalled ? ["/"] : [workspace, home, temporary],
      commandUid: this.#identity.uid,
      isUserOwn: false,
      endsWithAgent: isWalled,
      env: { PATH: path, USER: "agent", ...(isWalled ? {} : { TMPDIR: temporary }) },
    };
  }

  async getOrCreate(
    key: SandboxKey,
    {
      nextGeneration,
      mayMake = true,
      signal,
    }: { nextGeneration: number; mayMake?: boolean; signal: AbortSignal },
  ): Promise<Sandbox> {
    signal.throwIfAborted();
    const layout = projectLayout(this.#dataDir, key);
    if (!mayMake && (await readLive(layout)) === undefined)
      throw new SandboxError("gone", "the sandbox does not exist any more");
    await prepareProject(layout, this.#identity);
    return await adoptOrBegin(key, layout, nextGeneration);
  }

  async find(key: SandboxKey): Promise<Sandbox | undefined> {
    const living = await readLive(projectLayout(this.#dataDir, key));
    return living === undefined ? undefined : { key, ...living, created: false };
  }

  async exists(key: SandboxKey): Promise<boolean> {
    return (await readIfThere(projectLayout(this.#dataDir, key).generationFile)) !== undefined;
  }

  async state(sandbox: Sandbox): Promise<SandboxState> {
    return await livingState(sandbox, projectLayout(this.#dataDir, sandbox.key));
  }

  async bootAgent(
    sandbox: Sandbox,
    { bootScript, signal }: { bootScript: string; signal: AbortSignal },
  ): Promise<AgentPipe> {
    signal.throwIfAborted();
    if ((await this.state(sandbox)) === "gone") {
      throw new SandboxError("gone", "the sandbox does not exist any more");
    }
    const child = await spawnPiped(this.#command(sandbox.key, bootScript), {
      identity: this.#identity,
      env: this.#agentEnvironment(sandbox.key),
    });
    this.#agents.add(sandbox.id, child);
    const pipe = new ProcessPipe(child);
    return { pipe, stderrTail: () => pipe.stderrTail() };
  }

  async repairStorage(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    try {
      await giveToUser(projectLayout(this.#dataDir, sandbox.key), this.#identity);
    } catch (cause) {
      throw new SandboxError("not-startable", "the project's storage cannot be made writable", {
        hint: `give the project's directories to user ${this.#identity.uid}`,
        cause,
      });
    }
  }

  async remove(sandbox: Sandbox): Promise<void> {
    await this.#agents.end(sandbox.id);
    await endLife(sandbox, projectLayout(this.#dataDir, sandbox.key));
  }

  async destroy(key: SandboxKey): Promise<void> {
    const layout = projectLayout(this.#dataDir, key);
    const [id] = (await readIfThere(layout.liveFile))?.split(" ") ?? [];
    if (id !== undefined) await this.#agents.end(id);
    await removeProject(layout);
  }

  async close(): Promise<void> {
    await this.#agents.end();
  }

  #agentEnvironment(key: SandboxKey): Record<string, string> {
    return { ...this.surroundings(key).env, HOME: this.paths(key).home, LANG: "C.UTF-8" };
  }

  #command(key: SandboxKey, bootScript: string): readonly [string, ...string[]] {
    const { bwrapPath, nodePath, setprivPath, system } = this.#probe;
    const agent = [nodePath, "-e", bootScript] as const;
    if (this.#isolation === "process" || bwrapPath === undefined) {
      return setprivPath === undefined ? agent : [setprivPath, "--no-new-privs", "--", ...agent];
    }
    const args = bwrapArguments({
      system,
      dataDir: this.#dataDir,
      layout: projectLayout(this.#dataDir, key),
      identity: this.#identity,
      env: this.#agentEnvironment(key),
      temporaryBytes: this.#temporaryBytes,
    });
    return [bwrapPath, ...args, ...agent];
  }
}
