import { Automaton } from "./automaton.js";
import type { Pattern } from "./automaton.js";
import { maskOf } from "./mask.js";
import { PrefixPairs } from "./prefix-pairs.js";
import { secretForms } from "./secret-forms.js";

/** A named secret. */
export interface Secret {
  /** What the mask shows; without white space and square brackets. */
  readonly name: string;
  readonly value: string;
}

/** All that is to be found, made once for any number of streams. */
export interface Dictionary {
  readonly exact: Automaton;
  readonly wrapped: Automaton;
  readonly prefixes: PrefixPairs;
  /** The mask of each owner, in UTF-8. */
  readonly masks: readonly Uint8Array[];
  /** Most bytes that one occurrence can have, with the line breaks in it. */
  readonly reachBytes: number;
}

/** Bytes between two line breaks in a form that is wrapped, at least, and of one line break, at most. */
const WRAPPED_AT = 16;
const BREAK_BYTES = 2;

/**
 * Makes the dictionary of secrets; undefined if no value has a form to mask. Of secrets with the same form the first
 * counts. The masks belong to it too, and so are replaced by themselves, also if a value occurs in one.
 */
export function makeDictionary(secrets: readonly Secret[]): Dictionary | undefined {
  const exact: Pattern[] = [];
  const wrapped: Pattern[] = [];
  secrets.forEach(({ value }, owner) => {
    const forms = secretForms(value);
    exact.push(...forms.exact.map((form) => ({ bytes: Buffer.from(form), owner })));
    wrapped.push(...forms.wrapped.map((form) => ({ bytes: Buffer.from(form), owner })));
  });
  if (exact.length === 0) return undefined;
  const masks = secrets.map(({ name }) => Buffer.from(maskOf(name)));
  const longest = (patterns: readonly Pattern[]) => Math.max(0, ...patterns.map(({ bytes }) => bytes.length));
  const wrappedBytes = longest(wrapped);
  const breaks = Math.ceil(wrappedBytes / WRAPPED_AT) + 1;
  exact.unshift(...masks.map((bytes, owner) => ({ bytes, owner })));
  return {
    exact: new Automaton(exact),
    wrapped: new Automaton(wrapped),
    prefixes: new PrefixPairs({ exact, wrapped }),
    masks,
    reachBytes: Math.max(longest(exact), wrappedBytes + breaks * BREAK_BYTES),
  };
}
