/** A decimal value in one form only: `digits` × 10^`exponent`, digits without zeros at either end; zero is empty. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const MAX_EXPONENT_DIGITS = 9;
const ZERO = 0x30;

/**
 * Reads a JSON number token, or the text of a finite double. Linear in its length. Undefined if the exponent has more
 * than nine digits and the value is not zero.
 */
export function parseDecimal(token: string): Decimal | undefined {
  const negative = token.startsWith("-");
  const mark = exponentMark(token);
  const mantissa = token.slice(negative ? 1 : 0, mark);
  const point = mantissa.indexOf(".");
  const fraction = point < 0 ? "" : mantissa.slice(point + 1);
  const all = (point < 0 ? mantissa : mantissa.slice(0, point)) + fraction;
  const end = trimmedEnd(all);
  if (end === 0) return { negative: false, digits: "", exponent: 0 };
  const written = readExponent(token.slice(mark + 1));
  if (written === undefined) return undefined;
  const exponent = written - fraction.length + (all.length - end);
  return { negative, digits: all.slice(leadingZeros(all), end), exponent };
}

/** True if both spell the same decimal value. */
export function isSameDecimal(a: Decimal, b: Decimal): boolean {
  return a.digits === b.digits && a.exponent === b.exponent && a.negative === b.negative;
}

/** Writes a decimal as ECMAScript's Number.toString would with all its digits. */
export function formatDecimal({ negative, digits, exponent }: Decimal): string {
  const sign = negative ? "-" : "";
  const point = digits.length + exponent;
  if (digits === "") return "0";
  if (exponent >= 0 && point <= 21) return sign + digits + "0".repeat(exponent);
  if (point > 0 && point <= 21) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point > -6 && point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  const power = point - 1;
  const mantissa = digits.length === 1 ? digits : `${digits.charAt(0)}.${digits.slice(1)}`;
  return `${sign}${mantissa}e${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

function exponentMark(token: string): number {
  const lower = token.indexOf("e");
  const mark = lower < 0 ? token.indexOf("E") : lower;
  return mark < 0 ? token.length : mark;
}

function readExponent(text: string): number | undefined {
  if (text === "") return 0;
  const digits = text.replace(/^[+-]/, "");
  const significant = digits.slice(leadingZeros(digits));
  if (significant.length > MAX_EXPONENT_DIGITS) return undefined;
  const value = Number(significant);
  return text.startsWith("-") ? -value : value;
}

function leadingZeros(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(count) === ZERO) count += 1;
  return count;
}

function trimmedEnd(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return end;
}
