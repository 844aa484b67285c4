import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { Begun } from "../workspace/workspace.js";
import { AbortReason } from "./abort-reason.js";
import type { ClockFired } from "./abort-reason.js";
import type { EventBody, Journal } from "./journal.js";
import { Settlement } from "./settlement.js";

/** What a run ended by: its work was done, or it was stopped before. */
export type Ending =
  { readonly by: "work" } | { readonly by: "abort"; readonly reason: AbortReason | ClockFired };

/** Where the time of a run went, in ms. */
export interface RunTimings {
  queueMs: number;
  sandboxMs: number;
  runMs: number;
}

/** Someone who hears a run: a call. */
export interface RunMember {
  readonly journal: Journal;
  /** A returned promise asks the run to wait. */
  hear(event: EventBody): void | Promise<void>;
}

/** What becomes of a run whose member leaves: it had ended, it goes on for others, or it stops with this member. */
export type Leaving = "ended" | "goes-on" | "stops";

/**
 * One execution of a tool. It is started once, belongs to the call that started it and to those that joined it as twins,
 * and ends once: by its work, a clock, an abort, or with its last member.
 */
export class Run {
  readonly timings: RunTimings = { queueMs: 0, sandboxMs: 0, runMs: 0 };
  /** The sandbox that the run uses; 0 before it has one. */
  generation = 0;
  /** Whether the work has begun, so that a failure may have had effects. */
  begun: Begun = "no";
  /** 1 for the first attempt, 2 after a recovery. */
  attempt = 1;
  /** True if the sandbox was lost under it and replaced. */
  recovered = false;
  readonly #controller = new AbortController();
  readonly #ending = new Settlement<Ending>();
  readonly #result = new Settlement<Result>();
  readonly #members = new Set<RunMember>();
  readonly #outputListeners = new Set<() => void>();
  #isRunning = false;

  /** Aborts with an AbortReason or ClockFired. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True once it has a place and works. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** How the run ends or ended; undefined while that is open. */
  get ending(): Ending | undefined {
    return this.#ending.value;
  }

  /** What all its calls get, once it stands. */
  get result(): Result | undefined {
    return this.#result.value;
  }

  /** Resolves with it. */
  get finished(): Promise<Result> {
    return this.#result.settled;
  }

  /** The calls that it runs for. */
  get members(): ReadonlySet<RunMember> {
    return this.#members;
  }

  /** The place in the queue was given: the run works from here on. */
  markRunning(): void {
    this.#isRunning = true;
  }

  /** A call becomes one of those that the run is for, and has heard what the others have. */
  join(member: RunMember): void {
    const [other] = this.#members;
    if (other !== undefined) member.journal.seed(other.journal);
    this.#members.add(member);
  }

  /** A call that came to nothing is none of its calls. If the others have left meanwhile, the run stops. */
  forget(member: RunMember): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.stop(new AbortReason("client"));
  }

  /** All is told: what outlives the run holds none of its calls. */
  release(): void {
    this.#members.clear();
  }

  /** A call wants no more of the run. Its last call stops it. */
  leave(member: RunMember, reason: AbortReason | ClockFired): Leaving {
    if (this.#ending.value !== undefined) return "ended";
    if (this.#members.size > 1) {
      this.#members.delete(member);
      return "goes-on";
    }
    this.stop(reason);
    return "stops";
  }

  /** Stops the run for all. False if it was stopped or its work done before: that then stands. */
  stop(reason: AbortReason | ClockFired): boolean {
    if (!this.#ending.settle({ by: "abort", reason })) return false;
    this.#controller.abort(reason);
    return true;
  }

  /** The work is done. Returns what the run ends by, which is an abort if one was recorded first. */
  conclude(): Ending {
    this.#ending.settle({ by: "work" });
    return this.#ending.value ?? { by: "work" };
  }

  /** Keeps the first result, for its members and for twins that come later. */
  settle(result: Result): void {
    this.#ending.settle({ by: "work" });
    this.#result.settle(result);
  }

  /** Tells all members. A returned promise asks the work to wait. */
  tell(event: EventBody): void | Promise<void> {
    if (event.case === "output") for (const listener of this.#outputListeners) listener();
    if (this.#members.size === 1) {
      for (const member of this.#members) return member.hear(event);
    }
    const waits = [...this.#members].flatMap((member) => member.hear(event) ?? []);
    if (waits.length > 0) return Promise.all(waits).then(() => undefined);
  }

  /** Calls back at each output. Returns what ends it. */
  onOutput(listener: () => void): () => void {
    this.#outputListeners.add(listener);
    return () => this.#outputListeners.delete(listener);
  }
}
