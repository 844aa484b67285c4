/** How long output is awaited after an exit. */
export interface QuietDrainOptions {
  /** Ends the drain after this long without output. */
  readonly quietMs: number;
  /** Ends the drain whatever comes; time during which output is held back does not count. */
  readonly limitMs: number;
  readonly onDrained: () => void;
}

/**
 * Decides when the output of an ended process counts as complete. A decision by time is taken only after the event
 * loop has looked for output once more, so that what a pipe already holds is never lost.
 */
export class QuietDrain {
  readonly #options: QuietDrainOptions;
  #leftMs: number;
  #runningSinceMs = 0;
  #pieces = 0;
  #active = false;
  #held = false;
  #quietTimer: NodeJS.Timeout | undefined;
  #limitTimer: NodeJS.Timeout | undefined;

  constructor(options: QuietDrainOptions) {
    this.#options = options;
    this.#leftMs = options.limitMs;
  }

  /** The process has ended. */
  start(): void {
    this.#active = true;
    if (!this.#held) this.#run();
  }

  /** Output came. */
  sawOutput(): void {
    this.#pieces++;
    this.#quietTimer?.refresh();
  }

  /** Output is held back, or flows again. */
  setHeld(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    if (!this.#active) return;
    if (held) {
      this.#leftMs -= performance.now() - this.#runningSinceMs;
      this.#stopTimers();
    } else this.#run();
  }

  /** All pipes are closed: there is nothing to wait for. */
  complete(): void {
    if (!this.#active) return;
    this.#active = false;
    this.#stopTimers();
    this.#options.onDrained();
  }

  #run(): void {
    this.#runningSinceMs = performance.now();
    this.#quietTimer = setTimeout(() => this.#askAgain({ atLimit: false }), this.#options.quietMs);
    this.#limitTimer = setTimeout(() => this.#askAgain({ atLimit: true }), Math.max(1, this.#leftMs));
  }

  #askAgain({ atLimit }: { atLimit: boolean }): void {
    const before = this.#pieces;
    setImmediate(() => {
      if (!this.#active || this.#held) return;
      if (atLimit || this.#pieces === before) this.complete();
      else this.#quietTimer?.refresh();
    });
  }

  #stopTimers(): void {
    clearTimeout(this.#quietTimer);
    clearTimeout(this.#limitTimer);
  }
}
