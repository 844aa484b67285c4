/** What a pattern of paths asks for: where to begin, and what to match below it. */
export interface GlobTarget {
  /** Directory that the pattern names without wildcards, as the model wrote it. */
  readonly base: string;
  /** True if the pattern itself names part of `base`. */
  readonly isNamed: boolean;
  /** Pattern of paths relative to `base`. */
  readonly rest: string;
}

/** Splits a pattern at its first name with a wildcard. An absolute pattern does not depend on `path`. */
export function globTarget(pattern: string, path: string): GlobTarget {
  const names = pattern.replace(/\/+$/, "").split("/");
  const firstWild = names.findIndex((name) => /[*?[{\\]/.test(name));
  const restAt = firstWild < 0 ? names.length - 1 : firstWild;
  const prefix = names.slice(0, restAt).join("/");
  const rest = names.slice(restAt).join("/");
  const isAbsolute = pattern.startsWith("/");
  const isNamed = prefix.replace(/^(?:\.\/?)+$/, "") !== "" || isAbsolute;
  const base = isAbsolute ? prefix || "/" : isNamed ? below(path, prefix) : path;
  const isAnyDepth = restAt === 0 && names.length === 1;
  return { base, isNamed, rest: isAnyDepth || rest.includes("/") ? rest : `/${rest}` };
}

function below(path: string, prefix: string): string {
  return path === "." ? prefix : `${path.replace(/\/+$/, "")}/${prefix}`;
}
