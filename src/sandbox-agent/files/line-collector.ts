import { endsInCarriageReturn, wholeCharacters } from "./line-unit.js";
import type { LineUnit } from "./line-unit.js";

/** A line, or a part of it. */
export interface CollectedLine {
  readonly data: Uint8Array;
  /** Bytes of the line before and after `data`. */
  readonly omittedBytes: number;
}

/** Gathers one line from the pieces it is read in; keeps a part of it and counts the rest. */
export class LineCollector {
  readonly #unit: LineUnit;
  readonly #from: number;
  readonly #to: number;
  readonly #parts: Buffer[] = [];
  #length = 0;
  #endsInReturn = false;

  /** Keeps at most `maxBytes` from the byte `offsetBytes` on. */
  constructor({ unit, offsetBytes, maxBytes }: { unit: LineUnit; offsetBytes: number; maxBytes: number }) {
    this.#unit = unit;
    this.#from = offsetBytes - (offsetBytes % unit.bytes);
    this.#to = this.#from + Math.max(unit.bytes, maxBytes - (maxBytes % unit.bytes));
  }

  /** Takes the next bytes of the line, from the start of a unit. They are copied. */
  add(piece: Buffer): void {
    const from = Math.max(0, this.#from - this.#length);
    const to = Math.min(piece.length, this.#to - this.#length);
    if (to > from) this.#parts.push(Buffer.from(piece.subarray(from, to)));
    if (piece.length > 0) this.#endsInReturn = endsInCarriageReturn(piece, this.#unit);
    this.#length += piece.length;
  }

  /** Bytes that are kept so far. */
  get keptBytes(): number {
    return Math.max(0, Math.min(this.#length, this.#to) - this.#from);
  }

  /** The line. `terminated`: a line feed followed, so that a carriage return before it is part of the line end. */
  finish({ terminated }: { terminated: boolean }): CollectedLine {
    const length = this.#length - (terminated && this.#endsInReturn ? this.#unit.bytes : 0);
    const [only] = this.#parts;
    const all = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    const kept = all.subarray(0, Math.max(0, length - this.#from));
    const isCut = this.#from + kept.length < length;
    const data = isCut ? kept.subarray(0, wholeCharacters(kept, this.#unit)) : kept;
    return { data, omittedBytes: length - data.length };
  }
}
