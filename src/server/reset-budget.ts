/** Options of ResetBudget. */
export interface ResetBudgetOptions {
  /** Most resets at once. */
  readonly burst: number;
  /** Resets that are forgiven in a second. */
  readonly perSecond: number;
  /** The time in ms. */
  readonly now: () => number;
}

/** Counts how often a client takes back requests on one session. */
export class ResetBudget {
  readonly #options: ResetBudgetOptions;
  #left: number;
  #countedAt: number;

  constructor(options: ResetBudgetOptions) {
    this.#options = options;
    this.#left = options.burst;
    this.#countedAt = options.now();
  }

  /** Counts one reset. False if it was one too many. */
  spend(): boolean {
    const { burst, perSecond, now } = this.#options;
    const time = now();
    this.#left = Math.min(burst, this.#left + ((time - this.#countedAt) / 1000) * perSecond) - 1;
    this.#countedAt = time;
    return this.#left >= 0;
  }
}
