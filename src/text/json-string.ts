import { jsonErrorAt } from "./json-error.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads the JSON string whose opening quote stands at `start`. `end` is exclusive. Throws JsonError. */
export function readJsonString(text: string, start: number): { value: string; end: number } {
  const parts: string[] = [];
  let from = start + 1;
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const last = text.slice(from, at);
      return { value: parts.length === 0 ? last : parts.join("") + last, end: at + 1 };
    }
    if (code < 0x20) {
      throw jsonErrorAt(text, at, `control character ${unicodeName(code)} in a string: escape it`);
    }
    if (code !== BACKSLASH) {
      at += 1;
      continue;
    }
    const escape = readEscape(text, at);
    parts.push(text.slice(from, at), escape.value);
    at = from = escape.end;
  }
  throw jsonErrorAt(text, start, "this string is not closed");
}

/** Names a character for a message: `U+0007`. */
export function unicodeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function readEscape(text: string, at: number): { value: string; end: number } {
  const letter = text.charAt(at + 1);
  const simple = ESCAPES.get(letter);
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const digits = text.slice(at + 2, at + 6);
  if (letter === "u" && /^[0-9a-fA-F]{4}$/.test(digits)) {
    return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
  }
  if (letter === "u") throw jsonErrorAt(text, at, "\\u needs four hexadecimal digits");
  throw jsonErrorAt(text, at, "unknown escape: a backslash itself is written as two");
}
