/** A sequence of bytes to find, and the number of whom it belongs to. */
export interface Pattern {
  readonly bytes: Uint8Array;
  readonly owner: number;
}

const ROOT = 0;

/**
 * An Aho-Corasick automaton over bytes. A state stands for the longest end of the bytes read that begins a pattern;
 * state 0 for none. Edges are in one hash table, so that the size grows with the bytes of the patterns alone.
 */
export class Automaton {
  readonly #fallback: Int32Array;
  readonly #depth: Int32Array;
  readonly #foundBytes: Int32Array;
  readonly #foundOwner: Int32Array;
  readonly #edgeState: Int32Array;
  readonly #edgeByte: Uint8Array;
  readonly #edgeTarget: Int32Array;
  readonly #edgeMask: number;
  #states = 1;

  /** Of patterns with the same bytes the first counts. */
  constructor(patterns: readonly Pattern[]) {
    const maxStates = patterns.reduce((sum, { bytes }) => sum + bytes.length, 1);
    this.#fallback = new Int32Array(maxStates);
    this.#depth = new Int32Array(maxStates);
    this.#foundBytes = new Int32Array(maxStates);
    this.#foundOwner = new Int32Array(maxStates);
    const slots = 2 ** Math.ceil(Math.log2(maxStates * 2));
    this.#edgeState = new Int32Array(slots);
    this.#edgeByte = new Uint8Array(slots);
    this.#edgeTarget = new Int32Array(slots);
    this.#edgeMask = slots - 1;
    this.#build(patterns);
  }

  /** The state after one more byte. */
  next(state: number, byte: number): number {
    for (let from = state; ; from = this.fallback(from)) {
      const target = this.#edgeTarget[this.#slotOf(from, byte)] ?? ROOT;
      if (target !== ROOT || from === ROOT) return target;
    }
  }

  /** How many bytes a state stands for. */
  depth(state: number): number {
    return this.#depth[state] ?? 0;
  }

  /** The state of the next shorter end that begins a pattern. */
  fallback(state: number): number {
    return this.#fallback[state] ?? ROOT;
  }

  /** The length of the longest pattern that ends in a state, 0 for none. */
  foundBytes(state: number): number {
    return this.#foundBytes[state] ?? 0;
  }

  /** The owner of the longest pattern that ends in a state. */
  foundOwner(state: number): number {
    return this.#foundOwner[state] ?? 0;
  }

  /** Grows all patterns by one byte at a time, so that shallower states are complete before deeper ones refer to them. */
  #build(patterns: readonly Pattern[]): void {
    let growing = patterns.map((pattern) => ({ ...pattern, state: ROOT }));
    for (let depth = 1; growing.length > 0; depth += 1) {
      growing = growing.filter(({ bytes }) => bytes.length >= depth);
      for (const pattern of growing) {
        pattern.state = this.#grow(pattern.state, pattern.bytes[depth - 1] ?? 0);
        if (pattern.bytes.length === depth && this.foundBytes(pattern.state) !== depth) {
          this.#foundBytes[pattern.state] = depth;
          this.#foundOwner[pattern.state] = pattern.owner;
        }
      }
    }
  }

  #grow(parent: number, byte: number): number {
    const slot = this.#slotOf(parent, byte);
    const known = this.#edgeTarget[slot] ?? ROOT;
    if (known !== ROOT) return known;
    const fallback = parent === ROOT ? ROOT : this.next(this.fallback(parent), byte);
    const state = this.#states++;
    this.#edgeState[slot] = parent;
    this.#edgeByte[slot] = byte;
    this.#edgeTarget[slot] = state;
    this.#depth[state] = this.depth(parent) + 1;
    this.#fallback[state] = fallback;
    this.#foundBytes[state] = this.foundBytes(fallback);
    this.#foundOwner[state] = this.foundOwner(fallback);
    return state;
  }

  /** The slot of an edge, or the empty one where it would be. */
  #slotOf(state: number, byte: number): number {
    const hash = Math.imul(Math.imul(state, 0x9e3779b1) ^ Math.imul(byte + 1, 0x85ebca6b), 0xc2b2ae35);
    let slot = (hash ^ (hash >>> 15)) & this.#edgeMask;
    while (
      this.#edgeTarget[slot] !== ROOT &&
      (this.#edgeState[slot] !== state || this.#edgeByte[slot] !== byte)
    ) {
      slot = (slot + 1) & this.#edgeMask;
    }
    return slot;
  }
}
