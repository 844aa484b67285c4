import { isUtf8 } from "node:buffer";

/** Characters that a path is not shown with as they are: controls, and what turns the direction of text. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffd]/;

/** A path as it came from a program. */
export interface FoundPath {
  readonly bytes: Buffer;
  /** As text; bytes that are not UTF-8 are U+FFFD. */
  readonly text: string;
  /** One line that tells it exactly: as it is, or in the `$'…'` form of bash. */
  readonly shown: string;
}

/** Makes a path from what a program printed; a leading `./` is dropped. */
export function foundPath(printed: Buffer): FoundPath {
  const bytes = printed.subarray(printed.subarray(0, 2).toString("latin1") === "./" ? 2 : 0);
  const text = bytes.toString();
  const plain = isUtf8(bytes) && !UNSAFE.test(text);
  return { bytes, text, shown: plain ? text : quoted(bytes) };
}

/** A path for programs: `path`, and `path_base64` where its bytes are not UTF-8. */
export function structuredPath({ bytes, text }: FoundPath): { path: string; path_base64?: string } {
  return isUtf8(bytes) ? { path: text } : { path: text, path_base64: bytes.toString("base64") };
}

function quoted(bytes: Buffer): string {
  const text = Array.from(bytes.toString(isUtf8(bytes) ? "utf8" : "latin1"));
  const hex = (character: string) =>
    [...Buffer.from(character, isUtf8(bytes) ? "utf8" : "latin1")]
      .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
      .join("");
  const shown = text.map((character) => {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    if (character === "\r") return "\\r";
    if (character === "'" || character === "\\") return `\\${character}`;
    if (UNSAFE.test(character) || (!isUtf8(bytes) && character > "~")) return hex(character);
    return character;
  });
  return `$'${shown.join("")}'`;
}
