import type { Automaton } from "./automaton.js";
import type { Cursor } from "./cursor.js";

const LF = 0x0a;
const CR = 0x0d;
const MIN_LINE_BYTES = 16;

/**
 * A cursor that overlooks line breaks (LF, CR LF or CR) inside of a match. Between two breaks in one match stand at
 * least 16 bytes, so that what may be held back stays bounded.
 */
export class WrappedCursor implements Cursor {
  readonly #automaton: Automaton;
  #state = 0;
  #foundBytes = 0;
  /** Positions of the bytes overlooked since the state began. */
  #breaks: number[] = [];
  #lastBreak = 0;

  /** The patterns hold no line breaks. */
  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  get isShallow(): boolean {
    return this.#breaks.length === 0 && this.depth <= 1;
  }

  get depth(): number {
    return this.#automaton.depth(this.#state);
  }

  get foundBytes(): number {
    return this.#foundBytes;
  }

  get foundOwner(): number {
    return this.#automaton.foundOwner(this.#state);
  }

  read(byte: number, position: number): void {
    if (byte === LF || byte === CR) {
      this.#overlook(byte, position);
      return;
    }
    this.#state = this.#automaton.next(this.#state, byte);
    this.#foundBytes = this.#automaton.foundBytes(this.#state);
    if (this.#breaks.length > 0) this.#forgetBreaksBefore(this.startOf(position + 1, this.depth));
  }

  startOf(end: number, bytes: number): number {
    let start = end - bytes;
    for (let index = this.#breaks.length - 1; index >= 0; index -= 1) {
      if ((this.#breaks[index] ?? 0) < start) break;
      start -= 1;
    }
    return start;
  }

  reset(): void {
    this.#state = 0;
    this.#foundBytes = 0;
    this.#breaks = [];
  }

  #overlook(byte: number, position: number): void {
    const previous = this.#breaks.at(-1);
    const endsPair = byte === LF && this.#lastBreak === CR && previous === position - 1;
    if (previous !== undefined && !endsPair && position - previous <= MIN_LINE_BYTES) {
      this.#shortenTo(position - previous - 1);
    }
    this.#foundBytes = 0;
    if (this.#state === 0) return;
    this.#breaks.push(position);
    this.#lastBreak = byte;
  }

  /** Falls back to a state of at most so many bytes, which are those since the last break. */
  #shortenTo(bytes: number): void {
    while (this.depth > bytes) this.#state = this.#automaton.fallback(this.#state);
    this.#breaks = [];
  }

  #forgetBreaksBefore(start: number): void {
    while ((this.#breaks[0] ?? start) < start) this.#breaks.shift();
  }
}
