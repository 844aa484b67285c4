import { LaunchedRun, LauncherUnreachable } from "./launched-run.js";
import { LauncherProcess, type LauncherProcessOptions } from "./launcher-process.js";
import { SpareLink } from "./spare-link.js";
import { SupervisorLink } from "./supervisor-link.js";
import {
  type ProcessListener,
  type ProcessSpec,
  StartError,
  type SupervisedRun,
  type Supervisor,
} from "./supervisor.js";

const START_TIMEOUT_MS = 10_000;

/** How often a launcher is asked before a start fails; a spare link that turns out to be dead does not count. */
const MOST_ATTEMPTS = 2;

/** Options of LauncherSupervisor.boot. */
export interface LauncherSupervisorOptions extends LauncherProcessOptions {
  /** Longest time that the launcher has to start a process; then it is replaced. Default 10,000 ms. */
  readonly startTimeoutMs?: number;
}

/** Full supervision: the native launcher keeps the descendants of each run in one tree. */
export class LauncherSupervisor implements Supervisor {
  readonly supervision = "full";
  readonly #options: LauncherSupervisorOptions;
  readonly #runs = new Set<LaunchedRun>();
  readonly #spare = new SpareLink();
  #launcher: Promise<LauncherProcess>;
  #current: LauncherProcess;
  #closed = false;

  private constructor(options: LauncherSupervisorOptions, launcher: LauncherProcess) {
    this.#options = options;
    this.#current = launcher;
    this.#launcher = Promise.resolve(launcher);
    this.#serve(launcher);
  }

  /** Boots the launcher. Throws Error with the reason if it cannot run in this place. */
  static async boot(options: LauncherSupervisorOptions): Promise<LauncherSupervisor> {
    return new LauncherSupervisor(options, await LauncherProcess.boot(options));
  }

  /** Process id of the launcher that serves the next start. */
  get launcherPid(): number {
    return this.#current.pid;
  }

  async start(spec: ProcessSpec, listener: ProcessListener): Promise<SupervisedRun> {
    let asked = 0;
    for (let isFirst = true; ; isFirst = false) {
      const launcher = await this.#living();
      const spare = isFirst ? this.#spare.take(launcher.socketPath) : undefined;
      const run = new LaunchedRun({
        link: spare ?? new SupervisorLink(launcher.socketPath),
        startTimeoutMs: this.#options.startTimeoutMs ?? START_TIMEOUT_MS,
        spec,
        listener,
      });
      this.#runs.add(run);
      void run.ended.then(() => this.#forget(run));
      try {
        await run.started;
        return run;
      } catch (error) {
        if (run.unanswered) launcher.kill();
        if (spare !== undefined && launcher.alive && isOfItsTime(error)) continue;
        if (!(error instanceof LauncherUnreachable)) throw error;
        asked += 1;
        if (asked === MOST_ATTEMPTS) throw new StartError("internal", error.message);
        await launcher.stop();
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#spare.drop();
    await Promise.all([...this.#runs].map((run) => run.kill({ graceMs: 0 })));
    const [launcher] = await Promise.allSettled([this.#launcher]);
    if (launcher.status === "fulfilled") await launcher.value.stop();
    await Promise.all([...this.#runs].map((run) => run.ended));
    this.#current.removeFiles();
  }

  #serve(launcher: LauncherProcess): void {
    this.#spare.refill(launcher.socketPath);
    void launcher.exited.then(() => {
      if (launcher === this.#current) this.#spare.drop();
    });
  }

  #forget(run: LaunchedRun): void {
    this.#runs.delete(run);
    if (!this.#closed && this.#current.alive) this.#spare.refill(this.#current.socketPath);
  }

  async #living(): Promise<LauncherProcess> {
    if (this.#closed) throw new StartError("internal", "the supervisor is closed");
    if (this.#current.alive) return this.#current;
    const before = this.#launcher;
    const launcher = await before.catch(() => undefined);
    if (launcher?.alive) return launcher;
    if (this.#launcher === before) this.#launcher = this.#boot();
    return this.#launcher;
  }

  async #boot(): Promise<LauncherProcess> {
    try {
      this.#current = await LauncherProcess.boot(this.#options);
      this.#serve(this.#current);
      return this.#current;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const failure = /\bEAGAIN\b|\bENOMEM\b/.test(reason) ? "resources" : "internal";
      throw new StartError(failure, `the launcher could not be started again (${reason})`);
    }
  }
}

/** True if a link that was made earlier may have failed for what held then: its supervisor died or none could be made. */
function isOfItsTime(error: unknown): boolean {
  return (
    error instanceof LauncherUnreachable || (error instanceof StartError && error.failure === "resources")
  );
}
