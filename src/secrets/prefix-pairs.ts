import type { Pattern } from "./automaton.js";

const LF = 0x0a;
const CR = 0x0d;
const AT_FIRST = 1;
const AT_SECOND = 2;

/** The pairs of bytes that patterns begin with, to pass quickly over bytes where none begins. */
export class PrefixPairs {
  readonly #places = new Uint8Array(0x10000);

  /** All patterns have at least three bytes; in wrapped ones a line may end after the first or second. */
  constructor(options: { exact: readonly Pattern[]; wrapped: readonly Pattern[] }) {
    for (const { bytes } of options.exact) this.#addPrefix(bytes);
    for (const { bytes } of options.wrapped) {
      const [first = 0, second = 0, third = 0] = bytes;
      for (const prefix of [
        [first, second, third],
        [first, second, LF],
        [first, second, CR],
        [first, LF, second],
        [first, CR, LF],
        [first, CR, second],
      ]) {
        this.#addPrefix(prefix);
      }
    }
  }

  /**
   * The first index at or after `from` where a pattern may begin. The last index if none does before it: one byte
   * does not tell.
   */
  skip(bytes: Uint8Array, from: number): number {
    const places = this.#places;
    const last = bytes.length - 1;
    let first = bytes[from] ?? 0;
    for (let index = from; index < last; index += 1) {
      const second = bytes[index + 1] ?? 0;
      if (((places[(first << 8) | second] ?? 0) & AT_FIRST) !== 0) {
        const third = bytes[index + 2];
        if (third === undefined || ((places[(second << 8) | third] ?? 0) & AT_SECOND) !== 0) return index;
      }
      first = second;
    }
    return last;
  }

  #addPrefix([first = 0, second = 0, third = 0]: Iterable<number>): void {
    this.#add((first << 8) | second, AT_FIRST);
    this.#add((second << 8) | third, AT_SECOND);
  }

  #add(pair: number, place: number): void {
    this.#places[pair] = (this.#places[pair] ?? 0) | place;
  }
}
