/** What went from sandboxes to the outside since the start of the service. */
export interface EgressTotals {
  /** Connections that were made. */
  readonly allowed: number;
  /** Connections that were not made, by reason, such as `outside.refused`. */
  readonly refused: Readonly<Record<string, number>>;
  /** Connections that are open. */
  readonly open: number;
  /** Bytes that programs sent. */
  readonly bytesUp: number;
  /** Bytes that programs received. */
  readonly bytesDown: number;
}

/** Counts what goes from sandboxes to the outside. */
export class EgressCounters {
  readonly #refused = new Map<string, number>();
  #allowed = 0;
  #ended = 0;
  #bytesUp = 0;
  #bytesDown = 0;

  /** A connection was made. */
  countAllowed(): void {
    this.#allowed += 1;
  }

  /** A connection that was made has ended. */
  countEnded({ bytesUp, bytesDown }: { bytesUp: number; bytesDown: number }): void {
    this.#ended += 1;
    this.#bytesUp += bytesUp;
    this.#bytesDown += bytesDown;
  }

  /** A connection was not made. */
  countRefused(reason: string): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  /** The counts. Bytes are those of connections that have ended. */
  totals(): EgressTotals {
    return {
      allowed: this.#allowed,
      refused: Object.fromEntries(this.#refused),
      open: this.#allowed - this.#ended,
      bytesUp: this.#bytesUp,
      bytesDown: this.#bytesDown,
    };
  }
}
