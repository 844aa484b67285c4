import { JobError } from "./job-error.js";

/** Lets a limited number of holders in at one time, the others wait in order. */
export class SlotQueue {
  readonly #slots: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(slots: number, maxWaiting: number) {
    this.#slots = slots;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when a slot is held. Rejects with JobError `refused` if too many wait, or the reason of the signal. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#slots) {
      this.#taken += 1;
      return;
    }
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new JobError("refused", `${this.#waiting.size} jobs wait already, the limit: try again later`);
    }
    await this.#wait(signal);
  }

  /** Gives a held slot to the next who waits. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        this.#waiting.delete(enter);
        signal.removeEventListener("abort", giveUp);
        done();
      };
      const enter = () => settle(resolve);
      const giveUp = () => settle(() => reject(signal.reason as Error));
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(enter);
    });
  }
}
