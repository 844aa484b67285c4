/**
 * Names a record: a space, then parts such as tenant, project, id. Space and parts are any well-formed strings without NUL,
 * the empty one too; one that is not makes the operation reject with RangeError, as does a key of more than 1,900 bytes of
 * UTF-8, each part counted with one byte more.
 */
export interface StateKey {
  readonly space: string;
  readonly parts: readonly string[];
}

/** A record as it was read. */
export interface StateRecord {
  /** A copy that belongs to the reader. */
  readonly value: Uint8Array;
  /** Changes with every write, also with one of the same value. Never empty. */
  readonly version: string;
}

/** A record and its name. */
export interface StateEntry extends StateRecord {
  readonly key: StateKey;
}

/** One change of a commit. `ifVersion` says what must stand there: "" for nothing, absent for anything. */
export type StateChange =
  | {
      readonly key: StateKey;
      /** At most 4 MiB; commit rejects with RangeError above that. Copied before commit returns its promise. */
      readonly put: Uint8Array;
      readonly ifVersion?: string;
      /** In ms since 1970; from then on the record is as if it were not there. Default: never. */
      readonly expiresAtMs?: number;
    }
  | { readonly key: StateKey; readonly remove: true; readonly ifVersion?: string };

/** What outlives the process of the service. Every operation rejects with StateError once the store is closed. */
export interface StateStore {
  /** The record of that key; undefined if there is none or it has expired. Throws StateError. */
  get(key: StateKey): Promise<StateRecord | undefined>;
  /**
   * Makes all changes or none, and resolves once they survive the death of the process: false, with nothing changed, if an
   * `ifVersion` did not hold. Conditions look at what was there before the commit; of two changes of one key the later
   * one stands. Commits of one process take effect in the order of the calls. Throws StateError.
   */
  commit(changes: readonly StateChange[]): Promise<boolean>;
  /**
   * The records of a space whose parts begin with `prefix`, in order of their keys: part by part, by the bytes of UTF-8, a
   * shorter key before its continuations. Reads in steps: a record that changes meanwhile may be seen before or after
   * the change. `limit` is the most records. Default: all. Throws StateError.
   */
  list(options: { space: string; prefix: readonly string[]; limit?: number }): AsyncIterable<StateEntry>;
  /** Waits for commits that are under way and lets go of everything. A second call waits for the first. */
  close(): Promise<void>;
}

/**
 * Why state could not be used: another process has it (`held`), its file is broken (`damaged`), it cannot be written
 * (`read-only`), there is no room (`full`), or something else is missing, such as an open store (`unusable`).
 */
export type StateFailure = "held" | "damaged" | "read-only" | "full" | "unusable";

/** State could not be used; the message is one line that says what to do. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly failure: StateFailure;

  constructor(failure: StateFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.failure = failure;
  }
}
