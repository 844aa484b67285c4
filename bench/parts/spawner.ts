import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What a Spawner did. */
export interface SpawnOutcome {
  readonly durationsMs: readonly number[];
  /** Bytes that the commands printed, together. */
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** Most that the spawning process may weigh for its figures to count, in bytes: a fork costs more in a larger process. */
const SMALL_BYTES = 60_000_000;

/**
 * Node gives a child a socket as standard input, and bash takes that for a remote login, for which it runs ~/.bashrc,
 * unless SHLVL says that it was started by another shell. A raw spawn without it would be a slow one.
 */
function environment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", SHLVL: "1" };
}

/** A small Node process that spawns commands: the yardstick of a raw spawn and of the docker command line. */
export class Spawner {
  readonly #child: ChildProcess;
  #rssBytes = 0;

  constructor() {
    const program = fileURLToPath(new URL("spawner.mjs", import.meta.url));
    this.#child = fork(program, [], { execArgv: [], env: environment() });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The most that the process weighed after a job, in bytes. */
  get rssBytes(): number {
    return this.#rssBytes;
  }

  /** True if the process stayed small enough for its figures to count. */
  get isSmall(): boolean {
    return this.#rssBytes <= SMALL_BYTES;
  }

  /** Runs a command `count` times, `callers` at once. Rejects if a command fails. */
  async run(argv: readonly string[], options: { count: number; callers?: number }): Promise<SpawnOutcome> {
    const { count, callers = 1 } = options;
    this.#child.send({ argv, count, callers });
    const [answer] = (await once(this.#child, "message")) as [
      { outcome: SpawnOutcome; rssBytes: number } | { error: string },
    ];
    if ("error" in answer) throw new Error(`the spawner failed: ${answer.error}`);
    this.#rssBytes = Math.max(this.#rssBytes, answer.rssBytes);
    return answer.outcome;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
