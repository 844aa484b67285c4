import { expandBraces } from "./expand-braces.js";
import { matchSequence } from "./match-sequence.js";
import { NamePattern } from "./name-pattern.js";

/**
 * A pattern of paths: names with wildcards, `**` for any number of directories, `{a,b}` for alternatives. Without a
 * slash it is the pattern of a name at any depth. Matching takes time bounded by the product of the lengths.
 */
export class PathPattern {
  readonly #alternatives: readonly (readonly NamePattern[])[];

  private constructor(alternatives: readonly (readonly NamePattern[])[]) {
    this.#alternatives = alternatives;
  }

  /** Undefined if the pattern has too many alternatives. */
  static parse(pattern: string): PathPattern | undefined {
    const alternatives = expandBraces(pattern);
    return alternatives && new PathPattern(alternatives.map(namesOf));
  }

  /** Most names in a path that it takes; undefined if any number. */
  get maxDepth(): number | undefined {
    const depths = this.#alternatives.map((names) =>
      names.some(({ isGlobstar }) => isGlobstar) ? Infinity : names.length,
    );
    const most = Math.max(...depths);
    return most === Infinity ? undefined : most;
  }

  /** True if it takes a path, relative and without `./`. Names with a leading dot must be named, or `hidden` be set. */
  takes(path: string, { hidden }: { hidden: boolean }): boolean {
    const names = path.split("/");
    return this.#alternatives.some((pattern) =>
      matchSequence(pattern, names, {
        isStar: ({ isGlobstar }) => isGlobstar,
        takes: (part, name) => part.takes(name, { hidden }),
      }),
    );
  }
}

function namesOf(alternative: string): NamePattern[] {
  const names = alternative.split("/").filter((name) => name !== "" && name !== ".");
  if (names.length === 1 && !alternative.startsWith("/") && !alternative.startsWith("./"))
    names.unshift("**");
  if (names.at(-1) === "**") names.push("*");
  return names.map((name) => new NamePattern(name));
}
