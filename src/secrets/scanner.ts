import { ExactCursor } from "./cursor.js";
import type { Cursor } from "./cursor.js";
import type { Dictionary } from "./dictionary.js";
import { WrappedCursor } from "./wrapped-cursor.js";

/** An occurrence in a stream: from `start` up to `end`, exclusive, in bytes from the start of the stream. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly owner: number;
}

/** Finds the occurrences of the words of a dictionary in a stream of bytes. */
export class Scanner {
  readonly #dictionary: Dictionary;
  readonly #exact: ExactCursor;
  readonly #wrapped: WrappedCursor;
  #position = 0;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    this.#exact = new ExactCursor(dictionary.exact);
    this.#wrapped = new WrappedCursor(dictionary.wrapped);
  }

  /** Where the earliest occurrence can begin that is not yet complete; the count of bytes read if none has begun. */
  get openFrom(): number {
    const starts = [this.#exact, this.#wrapped].map((cursor) => cursor.startOf(this.#position, cursor.depth));
    return Math.min(...starts);
  }

  /** Reads a chunk. Of the occurrences that end at one byte, the longest is reported, in the order of their ends. */
  scan(chunk: Uint8Array, report: (occurrence: Occurrence) => void): void {
    const base = this.#position;
    let index = 0;
    const read = () => {
      const byte = chunk[index] ?? 0;
      this.#read({ byte, position: base + index, report });
      index += 1;
    };
    while (index < chunk.length) {
      if (this.#exact.depth === 0 && this.#wrapped.depth === 0) {
        index = this.#dictionary.prefixes.skip(chunk, index);
        read();
        if (index === chunk.length) break;
      }
      read();
      if (index < chunk.length && this.#exact.isShallow && this.#wrapped.isShallow) {
        index -= Math.max(this.#exact.depth, this.#wrapped.depth);
        this.reset();
      }
    }
    this.#position = base + chunk.length;
  }

  /** Forgets what has begun and is not complete. */
  reset(): void {
    this.#exact.reset();
    this.#wrapped.reset();
  }

  #read({ byte, position, report }: Reading): void {
    this.#exact.read(byte);
    this.#wrapped.read(byte, position);
    if (this.#exact.foundBytes > 0) report(occurrenceAt(this.#exact, position + 1));
    if (this.#wrapped.foundBytes > 0) report(occurrenceAt(this.#wrapped, position + 1));
  }
}

interface Reading {
  readonly byte: number;
  readonly position: number;
  readonly report: (occurrence: Occurrence) => void;
}

function occurrenceAt(cursor: Cursor, end: number): Occurrence {
  return { start: cursor.startOf(end, cursor.foundBytes), end, owner: cursor.foundOwner };
}
