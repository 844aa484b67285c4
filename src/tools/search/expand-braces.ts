/** Most alternatives that one pattern may have. */
const MAX_ALTERNATIVES = 200;

/**
 * The alternatives of a pattern with braces: `a{b,c}` is `ab` and `ac`. Braces nest; a backslash takes away their
 * meaning; one without its partner stands for itself. Undefined if there are more than 200.
 */
export function expandBraces(pattern: string): readonly string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else {
      const { before, choices, after } = group;
      open.push(...choices.map((choice) => before + choice + after).reverse());
    }
    if (done.length + open.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

interface Group {
  readonly before: string;
  readonly choices: readonly string[];
  readonly after: string;
}

/** The first group that is closed. */
function firstGroup(pattern: string): Group | undefined {
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "{") {
      const group = groupAt(pattern, at);
      if (group !== undefined) return group;
    }
  }
  return undefined;
}

function groupAt(pattern: string, start: number): Group | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    else if (character === "," && depth === 1) {
      choices.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (depth === 0) {
      choices.push(pattern.slice(from, at));
      return { before: pattern.slice(0, start), choices, after: pattern.slice(at + 1) };
    }
  }
  return undefined;
}
