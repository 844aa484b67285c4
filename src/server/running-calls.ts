/** Counts the calls that a drain waits for. */
export class RunningCalls {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** Number of calls that run. */
  get count(): number {
    return this.#count;
  }

  /** Counts a call until it has settled. */
  async track(call: Promise<void>): Promise<void> {
    this.#count += 1;
    try {
      await call;
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const wake of this.#waiting) wake();
    }
  }

  /** Resolves with true once no call runs, or with false after `timeoutMs`. */
  async whenIdle(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return true;
    return new Promise((resolve) => {
      const settle = (idle: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(idle);
      };
      const wake = (): void => settle(true);
      const timer = setTimeout(() => settle(false), timeoutMs);
      this.#waiting.add(wake);
    });
  }
}
