import { JobChild } from "./job-child.js";
import { JobError } from "./job-error.js";
import type { JobMessage } from "./job-frame.js";
import type { JobLimits, JobProgram } from "./job-program.js";
import { SlotQueue } from "./slot-queue.js";

/** Options of JobRunner. */
export interface JobRunnerOptions {
  readonly program: JobProgram;
  readonly limits: JobLimits;
  /** Most requests at work at one time. Default 2. */
  readonly concurrency?: number;
  /** Most requests that wait; more are refused. Default 32. */
  readonly maxWaiting?: number;
  /** Time that one idle process is kept for the next request, in ms. 0: none is kept. Default 10,000. */
  readonly idleStopMs?: number;
  /** Requests after which a process is replaced. Default 100. */
  readonly maxRunsPerChild?: number;
}

/** Runs requests of one program in child processes with limits. */
export class JobRunner {
  readonly #options: Required<JobRunnerOptions>;
  readonly #slots: SlotQueue;
  readonly #busy = new Set<JobChild>();
  #idle: JobChild | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: JobRunnerOptions) {
    this.#options = { concurrency: 2, maxWaiting: 32, idleStopMs: 10_000, maxRunsPerChild: 100, ...options };
    this.#slots = new SlotQueue(this.#options.concurrency, this.#options.maxWaiting);
  }

  /** Processes that live: at work or idle. */
  get processes(): number {
    return this.#busy.size + (this.#idle?.alive === true ? 1 : 0);
  }

  /** Gives the answer to a request. Rejects with JobError or the reason of the signal. */
  async run(request: JobMessage, { signal }: { signal: AbortSignal }): Promise<JobMessage> {
    await this.#slots.enter(signal);
    try {
      return await this.#runIn(this.#takeChild(), request, signal);
    } finally {
      this.#slots.leave();
    }
  }

  /** Kills every process, resolves when they are dead. Requests under way reject with JobError. */
  async close(): Promise<void> {
    this.#closed = true;
    const children = [...this.#busy, ...(this.#idle === undefined ? [] : [this.#idle])];
    this.#forgetIdle();
    for (const child of children) child.kill(new JobError("crash", "the service is shutting down"));
    await Promise.all(children.map((child) => child.dead));
  }

  async #runIn(child: JobChild, request: JobMessage, signal: AbortSignal): Promise<JobMessage> {
    try {
      return await child.run(request, signal);
    } finally {
      this.#release(child);
    }
  }

  #takeChild(): JobChild {
    if (this.#closed) throw new JobError("refused", "the service is shutting down");
    const idle = this.#idle;
    this.#forgetIdle();
    const child = idle?.alive === true ? idle : new JobChild(this.#options.program, this.#options.limits);
    this.#busy.add(child);
    return child;
  }

  #release(child: JobChild): void {
    const { idleStopMs, maxRunsPerChild } = this.#options;
    this.#busy.delete(child);
    if (!child.alive) return;
    const worn = child.runs >= maxRunsPerChild;
    if (this.#closed || this.#idle !== undefined || worn || idleStopMs === 0) {
      child.kill(undefined);
      return;
    }
    this.#idle = child;
    this.#idleTimer = setTimeout(() => {
      this.#forgetIdle();
      child.kill(undefined);
    }, idleStopMs);
    this.#idleTimer.unref();
  }

  #forgetIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idle = undefined;
  }
}
