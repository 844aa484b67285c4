import type { Begun } from "../workspace/workspace.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { AbortReason, ClockFired } from "./abort-reason.js";
import type { OnDisconnect } from "./call.js";
import { Journal } from "./journal.js";
import type { EventBody, JournalOptions } from "./journal.js";
import { Settlement } from "./settlement.js";

/** Where a run is. */
export type RunState = "queued" | "running" | "ended";

/** What a run ended by: its work was done, or it was stopped before. */
export type Ending =
  { readonly by: "work" } | { readonly by: "abort"; readonly reason: AbortReason | ClockFired };

/** Where the time of a run went, in ms. */
export interface RunTimings {
  queueMs: number;
  sandboxMs: number;
  runMs: number;
}

/** Options of a Run. */
export interface RunOptions {
  readonly onDisconnect: OnDisconnect;
  /** Life without a reader under `detach`, in ms. */
  readonly detachedMs: number;
  readonly journal?: JournalOptions;
  readonly now?: () => number;
}

/**
 * The inside of a call: it is started once, writes its journal, and settles once. It outlives any of its readers; what
 * ends it is an abort, a clock, its own work, or its last reader leaving.
 */
export class Run {
  readonly journal: Journal;
  readonly timings: RunTimings = { queueMs: 0, sandboxMs: 0, runMs: 0 };
  readonly startedAtMs: number;
  /** The sandbox that the run uses; 0 before it has one. */
  generation = 0;
  /** Whether the work has begun, so that a failure may have had effects. */
  begun: Begun = "no";
  readonly #options: RunOptions;
  readonly #now: () => number;
  readonly #controller = new AbortController();
  readonly #ending = new Settlement<Ending>();
  readonly #result = new Settlement<Result>();
  readonly #over = new Settlement<true>();
  readonly #readers = new Set<symbol>();
  readonly #outputListeners = new Set<() => void>();
  #state: RunState = "queued";
  #lifeTimer: NodeJS.Timeout | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.startedAtMs = this.#now();
    this.journal = new Journal({ now: this.#now, ...options.journal });
  }

  /** Aborts with an AbortReason or ClockFired. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get state(): RunState {
    return this.#result.value === undefined ? this.#state : "ended";
  }

  /** The result, once there is one. */
  get result(): Result | undefined {
    return this.#result.value;
  }

  /** Resolves with the result. */
  get finished(): Promise<Result> {
    return this.#result.settled;
  }

  /** Resolves when the result stands and nothing of the run works any more. */
  get over(): Promise<true> {
    return this.#over.settled;
  }

  /** How the run ends or ended; undefined while that is open. */
  get ending(): Ending | undefined {
    return this.#ending.value;
  }

  /** The place in the queue was given: the run works from here on. */
  markRunning(): void {
    this.#state = "running";
  }

  /** Stops the run. False if it was stopped or its work done before: that then stands. */
  abort(reason: AbortReason | ClockFired): boolean {
    if (!this.#ending.settle({ by: "abort", reason })) return false;
    this.#controller.abort(reason);
    return true;
  }

  /** The work is done. Returns what the run ends by, which is an abort if one was recorded first. */
  conclude(): Ending {
    this.#ending.settle({ by: "work" });
    return this.#ending.value ?? { by: "work" };
  }

  /** Writes an event to the journal; the first result ends it. A returned promise asks the writer to wait. */
  record(event: EventBody): void | Promise<void> {
    if (this.journal.ended) return;
    const wait = this.journal.append(event, this.generation);
    if (event.case === "result") this.#settle(event.value);
    if (event.case === "output") for (const listener of this.#outputListeners) listener();
    return wait;
  }

  /** Nothing of the run works any more. */
  markOver(): void {
    this.#over.settle(true);
  }

  /** Calls back at each output. Returns what ends it. */
  onOutput(listener: () => void): () => void {
    this.#outputListeners.add(listener);
    return () => this.#outputListeners.delete(listener);
  }

  /** A reader comes. The function that is returned lets it leave, with the reason why. */
  addReader(): (reason: AbortReason) => void {
    const reader = Symbol("reader");
    this.#readers.add(reader);
    clearTimeout(this.#lifeTimer);
    return (reason) => {
      if (!this.#readers.delete(reader) || this.#readers.size > 0 || this.#result.value !== undefined) return;
      if (this.#options.onDisconnect === "cancel") this.abort(reason);
      else this.#startLife(reason);
    };
  }

  #startLife(reason: AbortReason): void {
    this.#lifeTimer = setTimeout(() => this.abort(reason), this.#options.detachedMs);
    this.#lifeTimer.unref();
  }

  #settle(result: Result): void {
    clearTimeout(this.#lifeTimer);
    this.#ending.settle({ by: "work" });
    this.#result.settle(result);
  }
}
