import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { Mode } from "../domain/mode.js";
import type { AbortReason, ClockFired } from "./abort-reason.js";
import { Journal } from "./journal.js";
import type { EventBody, JournalOptions } from "./journal.js";
import type { EffectiveLimits } from "./limits.js";
import { Run } from "./run.js";
import type { RunMember } from "./run.js";
import { Settlement } from "./settlement.js";

/** Names a project: an id is a name inside its tenant. */
export interface ProjectKey {
  readonly tenant: string;
  readonly project: string;
}

/** Which part of a long text is kept. */
export type Keep = "head" | "tail" | "both";

/** What becomes of a call when its last reader leaves. */
export type OnDisconnect = "cancel" | "detach";

/** Where a call is. */
export type CallPhase = "queued" | "running" | "ended";

/** What is known of a call when it is admitted. */
export interface CallFacts {
  readonly key: ProjectKey;
  readonly id: string;
  /** Hash of tool, canonical arguments, session and user. */
  readonly fingerprint: string;
  readonly tool: string;
  /** The model's own id. */
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly turnId: string;
  readonly mode: Mode;
  readonly limits: EffectiveLimits;
  /** Ms since 1970. */
  readonly createdAtMs: number;
  /** The call whose run this one shares as a twin. Empty: none. */
  readonly sourceId: string;
  readonly onDisconnect: OnDisconnect;
  /** Life without a reader under `detach`, in ms. */
  readonly detachedMs: number;
}

/** Options of a Call. */
export interface CallOptions {
  readonly run: Run;
  /** Makes the result of a call that was stopped while its run goes on for others. */
  readonly resultOfLeaving: (call: Call, reason: AbortReason | ClockFired) => Result;
  /** Makes the result outlive the process before anyone hears of it. Never rejects. Default: it is not kept. */
  readonly keep?: (call: Call, result: Result) => Promise<void>;
  readonly journal?: JournalOptions;
  readonly now?: () => number;
}

/** One execution of one tool, as its readers see it: its journal, its one result, and what ends it. */
export class Call implements RunMember {
  readonly facts: CallFacts;
  readonly run: Run;
  readonly journal: Journal;
  readonly #options: CallOptions;
  readonly #result = new Settlement<Result>();
  readonly #over = new Settlement<true>();
  readonly #readers = new Set<symbol>();
  #stoppedBy: AbortReason | ClockFired | undefined;
  #isSettling = false;
  #lifeTimer: NodeJS.Timeout | undefined;

  constructor(facts: CallFacts, options: CallOptions) {
    this.facts = facts;
    this.run = options.run;
    this.#options = options;
    this.journal = new Journal({ now: options.now ?? Date.now, ...options.journal });
    this.run.join(this);
  }

  get key(): ProjectKey {
    return this.facts.key;
  }

  get id(): string {
    return this.facts.id;
  }

  get phase(): CallPhase {
    if (this.#result.value !== undefined) return "ended";
    return this.run.isRunning ? "running" : "queued";
  }

  /** The result, once there is one. */
  get result(): Result | undefined {
    return this.#result.value;
  }

  /** Resolves with the result. */
  get finished(): Promise<Result> {
    return this.#result.settled;
  }

  /** Resolves when the result stands and nothing works for the call any more. */
  get over(): Promise<true> {
    return this.#over.settled;
  }

  /** Who or what stopped the call, once that stands. */
  get stoppedBy(): AbortReason | ClockFired | undefined {
    if (this.#stoppedBy !== undefined) return this.#stoppedBy;
    return this.run.ending?.by === "abort" ? this.run.ending.reason : undefined;
  }

  /**
   * Stops the call. A run that has other calls goes on for them. False if the call was stopped or its work done before:
   * that then stands.
   */
  abort(reason: AbortReason | ClockFired): boolean {
    if (this.#stoppedBy !== undefined || this.#isSettling) return false;
    const leaving = this.run.leave(this, reason);
    if (leaving === "ended") return false;
    this.#stoppedBy = reason;
    if (leaving === "goes-on") {
      void this.settle(this.#options.resultOfLeaving(this, reason)).then(() => this.markOver());
    }
    return true;
  }

  /** Writes an event of the run to the journal. A returned promise asks the writer to wait. */
  hear(event: EventBody): void | Promise<void> {
    if (this.#isSettling) return;
    return this.journal.append(event, this.run.generation);
  }

  /** Ends the call with its one result: it is kept first, then told. Later ones are ignored. */
  async settle(result: Result): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    clearTimeout(this.#lifeTimer);
    const kept = this.#options.keep?.(this, result);
    if (kept !== undefined) await kept;
    void this.journal.append({ case: "result", value: result }, this.run.generation);
    this.#result.settle(result);
  }

  /** Ends a call that could not be written down, for whoever met it meanwhile. It leaves no record. */
  abandon(result: Result): void {
    this.#isSettling = true;
    clearTimeout(this.#lifeTimer);
    void this.journal.append({ case: "result", value: result }, this.run.generation);
    this.#result.settle(result);
    this.markOver();
  }

  /** Nothing works for the call any more. */
  markOver(): void {
    this.#over.settle(true);
  }

  /** A reader comes. The function that is returned lets it leave, with the reason why. */
  addReader(): (reason: AbortReason) => void {
    const reader = Symbol("reader");
    this.#readers.add(reader);
    clearTimeout(this.#lifeTimer);
    return (reason) => {
      if (!this.#readers.delete(reader) || this.#readers.size > 0 || this.#isSettling) return;
      if (this.facts.onDisconnect === "cancel") this.abort(reason);
      else this.#startLife(reason);
    };
  }

  #startLife(reason: AbortReason): void {
    this.#lifeTimer = setTimeout(() => this.abort(reason), this.facts.detachedMs);
    this.#lifeTimer.unref();
  }
}

/** A call that ended in an earlier life of the service: its result, at the seq that it had. */
export function endedCall(
  facts: CallFacts,
  end: { result: Result; lastSeq: number; generation: number },
): Call {
  const run = new Run();
  run.generation = end.generation;
  const call = new Call(facts, {
    run,
    resultOfLeaving: () => end.result,
    journal: { firstSeq: end.lastSeq },
  });
  run.settle(end.result);
  void call.settle(end.result);
  call.markOver();
  return call;
}

/** One text for a project, for maps. */
export function projectKeyText(key: ProjectKey): string {
  return `${key.tenant}\0${key.project}`;
}
