import { matchSequence } from "./match-sequence.js";

interface Part {
  readonly star: boolean;
  readonly takes: (character: string) => boolean;
}

/** The pattern of one name in a path: `*`, `?`, `[a-z]`, `[!a-z]`, and a backslash before what stands for itself. */
export class NamePattern {
  /** True for `**`, which takes any number of names. */
  readonly isGlobstar: boolean;
  readonly #parts: readonly Part[];
  readonly #namesDot: boolean;

  constructor(pattern: string) {
    this.isGlobstar = pattern === "**";
    this.#parts = parse(Array.from(pattern));
    this.#namesDot = pattern.startsWith(".") || pattern.startsWith("\\.");
  }

  /** True if it takes the name. A leading dot is only taken if it is named, or with `hidden`. */
  takes(name: string, { hidden }: { hidden: boolean }): boolean {
    if (name.startsWith(".") && !hidden && !this.#namesDot) return false;
    if (this.isGlobstar) return true;
    return matchSequence(this.#parts, Array.from(name), {
      isStar: ({ star }) => star,
      takes: (part, character) => part.takes(character),
    });
  }
}

function parse(characters: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const set = character === "[" ? parseSet(characters, at + 1) : undefined;
    if (set !== undefined) {
      parts.push({ star: false, takes: set.takes });
      at = set.end;
    } else if (character === "*") {
      if (parts.at(-1)?.star !== true) parts.push({ star: true, takes: () => true });
    } else if (character === "?") {
      parts.push({ star: false, takes: () => true });
    } else {
      const escaped = character === "\\" ? characters[at + 1] : undefined;
      if (escaped !== undefined) at += 1;
      const literal = escaped ?? character;
      parts.push({ star: false, takes: (candidate) => candidate === literal });
    }
  }
  return parts;
}

/** A set that starts after its bracket; undefined if it is not closed, and the bracket then stands for itself. */
function parseSet(
  characters: readonly string[],
  start: number,
): { takes: (character: string) => boolean; end: number } | undefined {
  const negated = characters[start] === "!" || characters[start] === "^";
  const first = negated ? start + 1 : start;
  const end = characters.indexOf("]", first + 1);
  if (end < 0) return undefined;
  const members = characters.slice(first, end);
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const low = members[at] ?? "";
    const high = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  const code = (character: string) => character.codePointAt(0) ?? 0;
  const takes = (character: string) =>
    ranges.some(([low, high]) => code(low) <= code(character) && code(character) <= code(high)) !== negated;
  return { takes, end };
}
