/**
 * How near a name is to a wanted one: 0 the same but for case, 1 the same but for extension or separators, then 2 and
 * more by the number of typing errors, or for a name that holds the other. Nothing if it is not near.
 */
export function nameDistance(wanted: string, name: string): number | undefined {
  const a = wanted.toLowerCase();
  const b = name.toLowerCase();
  if (a === b) return 0;
  if (stem(a) === stem(b) || bare(a) === bare(b)) return 1;
  const allowed = Math.min(4, Math.max(1, Math.floor(a.length / 3)));
  const errors = typingErrors(a, b, allowed);
  if (errors <= allowed) return 1 + errors;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 3 && long.includes(short) ? 6 : undefined;
}

function stem(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}

function bare(name: string): string {
  return name.replace(/[-_. ]/g, "");
}

/** Insertions, deletions, replacements and swaps of neighbours between two names; more than `limit` if it is more. */
function typingErrors(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same);
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
