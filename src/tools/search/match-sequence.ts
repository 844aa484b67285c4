/** What the parts of a pattern take. */
export interface SequenceRules<P, I> {
  /** True for a part that takes any number of items. */
  readonly isStar: (part: P) => boolean;
  /** True if the part may take the item. */
  readonly takes: (part: P, item: I) => boolean;
}

/** True if a pattern takes all of a sequence. Needs at most as many steps as the product of the two lengths. */
export function matchSequence<P extends object, I extends string>(
  pattern: readonly P[],
  items: readonly I[],
  { isStar, takes }: SequenceRules<P, I>,
): boolean {
  let part = 0;
  let at = 0;
  let star: { readonly part: number; items: number } | undefined;
  for (;;) {
    const item = items[at];
    const next = pattern[part];
    if (next !== undefined && isStar(next)) {
      star = { part, items: at };
      part += 1;
    } else if (item === undefined) {
      return next === undefined;
    } else if (next !== undefined && takes(next, item)) {
      part += 1;
      at += 1;
    } else {
      const last = star === undefined ? undefined : pattern[star.part];
      const skipped = star === undefined ? undefined : items[star.items];
      if (star === undefined || last === undefined || skipped === undefined || !takes(last, skipped))
        return false;
      star.items += 1;
      at = star.items;
      part = star.part + 1;
    }
  }
}
