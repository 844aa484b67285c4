import { createHash } from "node:crypto";
import { JsonError } from "./json-error.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import { LosslessNumber } from "./lossless-number.js";
import { parseJson } from "./parse-json.js";
import { serialiseCanonical } from "./serialise-canonical.js";

/** A JSON object in canonical form. */
export interface CanonicalJson {
  readonly value: JsonObject;
  /** RFC 8785 text; numbers that a double would change keep their decimal value. */
  readonly canonical: string;
  /** SHA-256 of `canonical` in lower-case hexadecimal. */
  readonly hash: string;
}

/** Limits of JSON text. */
export interface JsonLimits {
  /** Most UTF-8 bytes of the text. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Most arrays and objects inside one another. Default 100. */
  readonly maxDepth?: number;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;
const DEFAULT_MAX_DEPTH = 100;
const START = { line: 1, column: 1 };

/**
 * Parses the JSON text of an object and gives its canonical form. Texts that differ only in order of keys, white space,
 * escapes or the spelling of equal numbers have one hash. Empty text is `{}`. Throws JsonError for text that is
 * malformed, too long, too deep or no object, and for duplicate keys.
 */
export function canonicalJson(text: string, limits: JsonLimits = {}): CanonicalJson {
  const { maxBytes = DEFAULT_MAX_BYTES, maxDepth = DEFAULT_MAX_DEPTH } = limits;
  const bytes = text.length > maxBytes ? text.length : Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new JsonError(`the text has at least ${bytes} bytes, above the limit of ${maxBytes}`, START);
  }
  const value = text.trim() === "" ? {} : requireObject(parseJson(text, { maxDepth }));
  return canonicalise(value, limits);
}

/** Gives the canonical form of a parsed object. Throws RangeError for nesting too deep and numbers that are not finite. */
export function canonicalise(value: JsonObject, limits: JsonLimits = {}): CanonicalJson {
  const { maxDepth = DEFAULT_MAX_DEPTH } = limits;
  const canonical = serialiseCanonical(value, maxDepth);
  return { value, canonical, hash: createHash("sha256").update(canonical).digest("hex") };
}

function requireObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  if (typeof value === "string" && /^\s*[[{]/.test(value)) {
    throw new JsonError(
      "a JSON object is wrapped in a JSON string: send the object itself, not quoted",
      START,
    );
  }
  throw new JsonError(`a JSON object is required, this is ${describe(value)}`, START);
}

function isObject(value: JsonValue): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
  );
}

function describe(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "a number" : `a ${typeof value}`;
}
