/** Kills that were asked for and not yet answered. */
export class KillRequests {
  readonly #waiting: ((processesKilled: number) => void)[] = [];
  #total = 0;

  /** Processes that kills of this run have ended so far. */
  get total(): number {
    return this.#total;
  }

  /** Resolves with the next answer. */
  add(): Promise<number> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Answers all that wait. */
  answer(processesKilled: number): void {
    this.#total += processesKilled;
    for (const resolve of this.#waiting.splice(0)) resolve(processesKilled);
  }
}
