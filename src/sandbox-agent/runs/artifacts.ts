import { constants, mkdirSync, openSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { artifactPath, artifactsDir, isArtifactFile } from "../../sandbox/channel/artifact-path.js";

/** Time between two looks for artifacts that have had their time, in ms, and between two when new ones are made. */
const LOOK_MS = 600_000;
const BETWEEN_MS = 5000;

const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;

/** The artifacts of a project: files that are kept for a time, and together up to a size. */
export class Artifacts {
  readonly #homeDir: string;
  readonly #keptMs: number;
  readonly #maxBytes: number;
  #tidying: Promise<void> | undefined;
  #tidiedAtMs = 0;

  constructor(config: Pick<AgentConfig, "homeDir" | "artifactMs" | "artifactBytes">) {
    this.#homeDir = config.homeDir;
    this.#keptMs = config.artifactMs;
    this.#maxBytes = config.artifactBytes;
    void this.tidy();
    setInterval(() => void this.tidy(), Math.min(LOOK_MS, this.#keptMs)).unref();
  }

  /** Opens a new artifact for writing. Throws the errors of the file system. */
  create(artifactId: string): number {
    mkdirSync(artifactsDir(this.#homeDir), { recursive: true, mode: 0o700 });
    if (Date.now() - this.#tidiedAtMs > BETWEEN_MS) void this.tidy();
    const path = artifactPath(this.#homeDir, artifactId);
    return openSync(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600);
  }

  /** Removes artifacts that have had their time, then the oldest beyond the size. Never rejects. */
  async tidy(): Promise<void> {
    this.#tidiedAtMs = Date.now();
    await (this.#tidying ??= this.#tidy().finally(() => {
      this.#tidying = undefined;
    }));
  }

  async #tidy(): Promise<void> {
    const files = (await this.#list()).sort((a, b) => b.mtimeMs - a.mtimeMs);
    const oldest = Date.now() - this.#keptMs;
    let bytes = 0;
    for (const { path, size, mtimeMs } of files) {
      bytes += size;
      if (mtimeMs >= oldest && bytes <= this.#maxBytes) continue;
      await unlink(path).catch(() => undefined);
    }
  }

  /** Only what this class made: a command may have put a link to anywhere in the place of the directory. */
  async #list(): Promise<{ path: string; size: number; mtimeMs: number }[]> {
    const directory = artifactsDir(this.#homeDir);
    const own = await lstat(directory).catch(() => undefined);
    if (own?.isDirectory() !== true) return [];
    const names = (await readdir(directory).catch(() => [])).filter(isArtifactFile);
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name);
        const found = await lstat(path).catch(() => undefined);
        return found?.isFile() === true ? [{ path, size: found.size, mtimeMs: found.mtimeMs }] : [];
      }),
    );
    return files.flat();
  }
}
