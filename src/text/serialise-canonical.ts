import type { JsonObject, JsonValue } from "./json-value.js";
import { canonicalLossless, LosslessNumber } from "./lossless-number.js";

/**
 * Writes a value in the form of RFC 8785: keys sorted by UTF-16 units, no white space, shortest numbers. A
 * LosslessNumber keeps all its digits; a lone surrogate is written as `\udXXX`. Throws RangeError for a number that is
 * not finite and for nesting deeper than `maxDepth`.
 */
export function serialiseCanonical(value: JsonValue, maxDepth: number): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return serialiseNumber(value);
  if (value instanceof LosslessNumber) return canonicalLossless(value);
  if (maxDepth <= 0) throw new RangeError("the value is nested too deeply");
  if (isArray(value)) return `[${value.map((item) => serialiseCanonical(item, maxDepth - 1)).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${serialiseCanonical(value[key] ?? null, maxDepth - 1)}`);
  return `{${members.join(",")}}`;
}

function serialiseNumber(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  throw new RangeError(`JSON has no spelling for the number ${value}`);
}

function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
