import type { Automaton } from "./automaton.js";

/** Where an automaton is in a stream of bytes. Positions count from the start of the stream. */
export interface Cursor {
  /** True if at most the last byte counts, so that reading may begin again at that byte. */
  readonly isShallow: boolean;
  /** How many bytes the state stands for, breaks not counted. */
  readonly depth: number;
  /** The length of the longest pattern that ends at the byte read, 0 for none, breaks not counted. */
  readonly foundBytes: number;
  /** The owner of that pattern. */
  readonly foundOwner: number;
  /** Reads the byte at a position. */
  read(byte: number, position: number): void;
  /** Where the last bytes of a match or state began, given the position after them and their count. */
  startOf(end: number, bytes: number): number;
  /** Forgets what was read. */
  reset(): void;
}

/** A cursor that takes every byte as it is. */
export class ExactCursor implements Cursor {
  readonly #automaton: Automaton;
  #state = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  get isShallow(): boolean {
    return this.depth <= 1;
  }

  get depth(): number {
    return this.#automaton.depth(this.#state);
  }

  get foundBytes(): number {
    return this.#automaton.foundBytes(this.#state);
  }

  get foundOwner(): number {
    return this.#automaton.foundOwner(this.#state);
  }

  read(byte: number): void {
    this.#state = this.#automaton.next(this.#state, byte);
  }

  startOf(end: number, bytes: number): number {
    return end - bytes;
  }

  reset(): void {
    this.#state = 0;
  }
}
