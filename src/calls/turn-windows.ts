import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { FixBy, Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { ProjectKey } from "./call.js";
import { projectKeyText } from "./call.js";
import type { EpochMark } from "./epochs.js";
import { resultSize } from "./result-size.js";
import type { Run } from "./run.js";

/** Names a turn: the calls that one model response emitted. */
export interface TurnName {
  readonly key: ProjectKey;
  readonly userId: string;
  readonly sessionId: string;
  readonly turnId: string;
}

/** A call of a turn that equal calls may share. */
export interface SharedCall {
  /** Id of the call that started the run. */
  readonly sourceId: string;
  readonly run: Run;
  readonly mark: EpochMark;
  /** True if a finished result is never shared: the tool says so, or processes that earlier calls left lived then. */
  readonly isInflightOnly: boolean;
}

/** Options of TurnWindows. */
export interface TurnWindowsOptions {
  /** How long a turn is remembered after its last call, in ms. Default 15 min. */
  readonly forgetMs?: number;
  /** Most shared calls that are remembered. Default 5,000. */
  readonly maxCalls?: number;
  /** Most bytes of their results. Default 64 MiB. */
  readonly maxResultBytes?: number;
  readonly now?: () => number;
}

interface Turn {
  readonly projectText: string;
  readonly sessionId: string;
  readonly shared: Map<string, { readonly shared: SharedCall; bytes: number }>;
  usedAtMs: number;
  isClosed: boolean;
}

/** What turns have called lately, so that equal calls of one turn can share a run. Memory is bounded. */
export class TurnWindows {
  readonly #forgetMs: number;
  readonly #maxCalls: number;
  readonly #maxResultBytes: number;
  readonly #now: () => number;
  /** In order of their last use. */
  readonly #turns = new Map<string, Turn>();
  #calls = 0;
  #resultBytes = 0;

  constructor(options: TurnWindowsOptions = {}) {
    this.#forgetMs = options.forgetMs ?? 15 * 60_000;
    this.#maxCalls = options.maxCalls ?? 5000;
    this.#maxResultBytes = options.maxResultBytes ?? 64 * 1024 * 1024;
    this.#now = options.now ?? Date.now;
  }

  /** Shared calls that are remembered. */
  get size(): number {
    return this.#calls;
  }

  /** A call of the turn comes. False if the turn was closed by an abort. */
  see(name: TurnName): boolean {
    return !this.#use(name).isClosed;
  }

  /** The call of the turn that stands under a key. */
  find(name: TurnName, callKey: string): SharedCall | undefined {
    return this.#turns.get(textOf(name))?.shared.get(callKey)?.shared;
  }

  /** Puts a call under a key, in place of an earlier one. Once it ends, one that cannot be shared is forgotten. */
  put(name: TurnName, callKey: string, shared: SharedCall): void {
    const turn = this.#use(name);
    this.#drop(turn, callKey);
    const entry = { shared, bytes: 0 };
    turn.shared.set(callKey, entry);
    this.#calls += 1;
    this.#trim();
    void shared.run.finished.then((result) => {
      if (turn.shared.get(callKey) !== entry) return;
      if (shared.isInflightOnly || !isRemembered(result)) {
        this.#drop(turn, callKey);
        return;
      }
      entry.bytes = resultSize(result);
      this.#resultBytes += entry.bytes;
      this.#trim();
    });
  }

  /** Closes the turns of a project, or of one of its sessions: later calls of them are refused. */
  close(key: ProjectKey, sessionId: string): void {
    const projectText = projectKeyText(key);
    for (const turn of this.#turns.values()) {
      if (turn.projectText !== projectText) continue;
      if (sessionId === "" || turn.sessionId === sessionId) turn.isClosed = true;
    }
  }

  #use(name: TurnName): Turn {
    const text = textOf(name);
    const now = this.#now();
    const turn = this.#turns.get(text) ?? {
      projectText: projectKeyText(name.key),
      sessionId: name.sessionId,
      shared: new Map<string, { shared: SharedCall; bytes: number }>(),
      usedAtMs: now,
      isClosed: false,
    };
    turn.usedAtMs = now;
    this.#turns.delete(text);
    this.#turns.set(text, turn);
    this.#forget(now);
    return turn;
  }

  #drop(turn: Turn, callKey: string): void {
    const entry = turn.shared.get(callKey);
    if (entry === undefined) return;
    turn.shared.delete(callKey);
    this.#calls -= 1;
    this.#resultBytes -= entry.bytes;
  }

  #forget(now: number): void {
    for (const [text, turn] of this.#turns) {
      if (now - turn.usedAtMs <= this.#forgetMs && this.#turns.size <= this.#maxCalls) return;
      for (const callKey of [...turn.shared.keys()]) this.#drop(turn, callKey);
      this.#turns.delete(text);
    }
  }

  #trim(): void {
    for (const turn of this.#turns.values()) {
      for (const callKey of [...turn.shared.keys()]) {
        if (this.#calls <= this.#maxCalls && this.#resultBytes <= this.#maxResultBytes) return;
        this.#drop(turn, callKey);
      }
    }
  }
}

/** True for what would come again: success, and errors of the arguments rather than of the moment. */
function isRemembered({ outcome, error, exit }: Result): boolean {
  if (outcome === Outcome.OK) return true;
  if (outcome !== Outcome.TOOL_ERROR) return false;
  const isOfTheMoment = exit !== undefined && (exit.oom || exit.status.case === "signal");
  return error?.fixBy === FixBy.MODEL && !error.retryable && !isOfTheMoment;
}

function textOf({ key, userId, sessionId, turnId }: TurnName): string {
  return `${projectKeyText(key)}\0${userId}\0${sessionId}\0${turnId}`;
}
