import { jsonErrorAt, type JsonError } from "./json-error.js";
import { readJsonString, unicodeName } from "./json-string.js";
import type { JsonValue } from "./json-value.js";
import { numberFromToken } from "./lossless-number.js";

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SHOWN_KEY_UNITS = 64;

/** Options of parseJson. */
export interface ParseJsonOptions {
  /** Most arrays and objects inside one another. */
  readonly maxDepth: number;
}

/**
 * Parses JSON text (RFC 8259) without losing a digit and without dropping a duplicate key: such a key, like any other
 * fault, throws JsonError with line and column.
 */
export function parseJson(text: string, options: ParseJsonOptions): JsonValue {
  return new JsonParser(text, options.maxDepth).parse();
}

class JsonParser {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  parse(): JsonValue {
    const value = this.#value(0);
    if (this.#peek() !== "") throw this.#error("more text follows the JSON value");
    return value;
  }

  #value(depth: number): JsonValue {
    const first = this.#peek();
    if (first === '"') return this.#string();
    if (first === "{") return this.#object(this.#deeper(depth));
    if (first === "[") return this.#array(this.#deeper(depth));
    if (first === "-" || (first >= "0" && first <= "9")) return this.#number();
    if (this.#takeWord("true")) return true;
    if (this.#takeWord("false")) return false;
    if (this.#takeWord("null")) return null;
    throw this.#unexpected("a value");
  }

  #object(depth: number): JsonValue {
    const object: Record<string, JsonValue> = {};
    const keys = new Set<string>();
    this.#at += 1;
    if (this.#take("}")) return object;
    for (;;) {
      if (this.#peek() !== '"') throw this.#unexpected("a key in double quotes");
      const keyAt = this.#at;
      const key = this.#string();
      if (keys.has(key)) throw jsonErrorAt(this.#text, keyAt, `duplicate key ${shownKey(key)}`);
      keys.add(key);
      if (!this.#take(":")) throw this.#unexpected("a colon");
      defineKey(object, key, this.#value(depth));
      if (this.#take("}")) return object;
      if (!this.#take(",")) throw this.#unexpected("a comma or }");
    }
  }

  #array(depth: number): JsonValue {
    const array: JsonValue[] = [];
    this.#at += 1;
    if (this.#take("]")) return array;
    for (;;) {
      array.push(this.#value(depth));
      if (this.#take("]")) return array;
      if (!this.#take(",")) throw this.#unexpected("a comma or ]");
    }
  }

  #string(): string {
    const { value, end } = readJsonString(this.#text, this.#at);
    this.#at = end;
    return value;
  }

  #number(): JsonValue {
    NUMBER.lastIndex = this.#at;
    const token = NUMBER.exec(this.#text)?.[0];
    if (token === undefined) throw this.#error("a minus sign needs digits after it");
    const value = numberFromToken(token);
    if (value === undefined) throw this.#error("the exponent of this number has more than 9 digits");
    this.#at += token.length;
    if (/[0-9.eE]/.test(this.#text.charAt(this.#at))) throw this.#error("malformed number");
    return value;
  }

  #deeper(depth: number): number {
    if (depth < this.#maxDepth) return depth + 1;
    throw this.#error(`nesting is deeper than the limit of ${this.#maxDepth} levels`);
  }

  /** The next character that is no white space, without taking it; empty at the end. */
  #peek(): string {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      this.#at += 1;
    }
    return this.#text.charAt(this.#at);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #takeWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #unexpected(wanted: string): JsonError {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return this.#error(`the text ends where ${wanted} should stand`);
    const found = code > 0x20 && code < 0x7f ? `'${String.fromCodePoint(code)}'` : unicodeName(code);
    return this.#error(`found ${found} where ${wanted} should stand`);
  }

  #error(reason: string): JsonError {
    return jsonErrorAt(this.#text, this.#at, reason);
  }
}

function defineKey(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function shownKey(key: string): string {
  return key.length <= SHOWN_KEY_UNITS
    ? JSON.stringify(key)
    : `${JSON.stringify(key.slice(0, SHOWN_KEY_UNITS))}…`;
}
