import { LaunchedRun, LauncherUnreachable } from "./launched-run.js";
import { LauncherProcess, type LauncherProcessOptions } from "./launcher-process.js";
import {
  type ProcessListener,
  type ProcessSpec,
  StartError,
  type SupervisedRun,
  type Supervisor,
} from "./supervisor.js";

const START_TIMEOUT_MS = 10_000;

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
  #launcher: Promise<LauncherProcess>;
  #current: LauncherProcess;
  #closed = false;

  private constructor(options: LauncherSupervisorOptions, launcher: LauncherProcess) {
    this.#options = options;
    this.#current = launcher;
    this.#launcher = Promise.resolve(launcher);
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
    for (let attempt = 1; ; attempt++) {
      const launcher = await this.#living();
      const run = new LaunchedRun({
        socketPath: launcher.socketPath,
        startTimeoutMs: this.#options.startTimeoutMs ?? START_TIMEOUT_MS,
        spec,
        listener,
      });
      this.#runs.add(run);
      void run.ended.then(() => this.#runs.delete(run));
      try {
        await run.started;
        return run;
      } catch (error) {
        if (run.unanswered) launcher.kill();
        if (!(error instanceof LauncherUnreachable)) throw error;
        if (attempt > 1) throw new StartError("internal", error.message);
        await launcher.stop();
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#runs].map((run) => run.kill({ graceMs: 0 })));
    const [launcher] = await Promise.allSettled([this.#launcher]);
    if (launcher.status === "fulfilled") await launcher.value.stop();
    await Promise.all([...this.#runs].map((run) => run.ended));
    this.#current.removeFiles();
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
      return this.#current;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const failure = /\bEAGAIN\b|\bENOMEM\b/.test(reason) ? "resources" : "internal";
      throw new StartError(failure, `the launcher could not be started again (${reason})`);
    }
  }
}
