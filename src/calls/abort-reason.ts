/** Who stops a call or leaves a stream. */
export type AbortSourceName =
  "client" | "disconnect" | "deadline" | "cancel_call" | "abort_project" | "shutdown";

/** A clock that ends a call. */
export type ClockName = "run" | "idle" | "queue" | "sandbox";

/** The reason of the signal of a run or of a reader: someone stopped it. */
export class AbortReason extends Error {
  override readonly name = "AbortReason";
  readonly source: AbortSourceName;
  /** What the one who stopped it said; empty if nothing. */
  readonly said: string;

  constructor(source: AbortSourceName, said = "") {
    super(said === "" ? `stopped by ${source}` : `stopped by ${source}: ${said}`);
    this.source = source;
    this.said = said;
  }
}

/** The reason of the signal of a run: a clock fired. */
export class ClockFired extends Error {
  override readonly name = "ClockFired";
  readonly clock: ClockName;
  readonly limitMs: number;

  constructor(clock: ClockName, limitMs: number) {
    super(`the ${clock} limit of ${limitMs} ms passed`);
    this.clock = clock;
    this.limitMs = limitMs;
  }
}
