import { PathPattern } from "./path-pattern.js";
import { refused } from "./search-refused.js";

/** Which files a search takes. */
export interface FileFilter {
  /** Options that keep ripgrep from opening some of the files that the filter does not take. */
  readonly arguments: readonly string[];
  /** True if a file counts; its path is relative to the place that is searched. */
  takes(path: string): boolean;
}

/** Wildcards that ripgrep and PathPattern read in the same way. */
const PLAIN_NAME = /^(?!.*\*\*)[\w.*?-]+(?:\{[\w.*?,-]+\})?$/;

/**
 * A filter by a pattern; with `!` before it, of all other files. ripgrep's own option for it would also bring back what
 * ignore rules leave out, so only the file name part is handed to it, as a type. Throws SearchRefused.
 */
export function fileFilter(tool: string, options: { glob?: string; type?: string }): FileFilter {
  const { glob, type } = options;
  const typeArguments = type === undefined ? [] : [`--type=${type}`];
  if (glob === undefined) return { arguments: typeArguments, takes: () => true };
  const isNegated = glob.startsWith("!");
  const pattern = pathPattern(tool, isNegated ? glob.slice(1) : glob);
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const isHint = type === undefined && !isNegated && PLAIN_NAME.test(name);
  return {
    arguments: isHint ? [`--type-add=handrail:${name}`, "--type=handrail"] : typeArguments,
    takes: (path) => pattern.takes(path, { hidden: true }) !== isNegated,
  };
}

/** Parses a pattern of paths. Throws SearchRefused. */
export function pathPattern(tool: string, pattern: string): PathPattern {
  const parsed = PathPattern.parse(pattern);
  if (parsed !== undefined) return parsed;
  throw refused({
    code: `${tool}.pattern_too_wide`,
    message: `The pattern ${JSON.stringify(pattern.slice(0, 200))} has more than 200 alternatives in braces.`,
    hint: "Use fewer braces, or several calls.",
  });
}
