import { ClockFired } from "./abort-reason.js";

interface Waiter {
  grant(): void;
}

/** Options of Slots. */
export interface SlotsOptions {
  /** Calls of one project that may run at once. Default 64. */
  readonly perProject?: number;
  /** Calls of one project that may wait. Default 256. */
  readonly waiting?: number;
}

interface Lane {
  running: number;
  readonly queue: Waiter[];
}

/** The places in which calls of a project run, given in order of arrival. */
export class Slots {
  readonly #perProject: number;
  readonly #waiting: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: SlotsOptions = {}) {
    this.#perProject = options.perProject ?? 64;
    this.#waiting = options.waiting ?? 256;
  }

  /** True if one more call of the project would find neither a place nor room to wait. */
  isFull(project: string): boolean {
    const lane = this.#lanes.get(project);
    return lane !== undefined && lane.running >= this.#perProject && lane.queue.length >= this.#waiting;
  }

  /**
   * Waits for a place. Resolves with what gives it back. Rejects with the reason of the signal, or with ClockFired
   * after `queueMs`.
   */
  async take(project: string, options: { queueMs: number; signal: AbortSignal }): Promise<() => void> {
    const { queueMs, signal } = options;
    signal.throwIfAborted();
    let lane = this.#lanes.get(project);
    if (lane === undefined) {
      lane = { running: 0, queue: [] };
      this.#lanes.set(project, lane);
    }
    if (lane.running < this.#perProject) lane.running += 1;
    else await this.#wait(lane, { queueMs, signal });
    return this.#giver(project, lane);
  }

  #wait(lane: Lane, { queueMs, signal }: { queueMs: number; signal: AbortSignal }): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        const at = lane.queue.indexOf(waiter);
        if (at >= 0) lane.queue.splice(at, 1);
      };
      const waiter: Waiter = {
        grant: () => {
          leave();
          resolve();
        },
      };
      const onAbort = () => {
        leave();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        reject(new ClockFired("queue", queueMs));
      }, queueMs);
      signal.addEventListener("abort", onAbort, { once: true });
      lane.queue.push(waiter);
    });
  }

  #giver(project: string, lane: Lane): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = lane.queue.shift();
      if (next !== undefined) {
        next.grant();
        return;
      }
      lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(project);
    };
  }
}
