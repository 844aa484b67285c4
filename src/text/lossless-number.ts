import { formatDecimal, isSameDecimal, parseDecimal } from "./decimal.js";

/** A JSON number whose decimal value no double spells: `9007199254740993`, `1e400`. */
export class LosslessNumber {
  /** The number as it was written. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** JSON.stringify writes the digits as a string. */
  toJSON(): string {
    return this.text;
  }
}

const SMALL_INTEGER = /^-?[0-9]{1,15}$/;

/**
 * The value of a JSON number token: a double if the double's shortest spelling has the same decimal value, else a
 * LosslessNumber. Undefined if the exponent is beyond a thousand million.
 */
export function numberFromToken(token: string): number | LosslessNumber | undefined {
  const value = Number(token);
  if (SMALL_INTEGER.test(token)) return value;
  const decimal = parseDecimal(token);
  if (decimal === undefined) return undefined;
  if (Number.isFinite(value)) {
    const shortest = parseDecimal(String(value));
    if (shortest !== undefined && isSameDecimal(decimal, shortest)) return value;
  }
  return new LosslessNumber(token);
}

/** The canonical spelling of a lossless number: the rules of ECMAScript's Number.toString with all digits. */
export function canonicalLossless(number: LosslessNumber): string {
  const decimal = parseDecimal(number.text);
  return decimal === undefined ? number.text : formatDecimal(decimal);
}
