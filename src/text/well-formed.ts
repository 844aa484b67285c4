/** True if a text has no lone surrogate: half of a character that no encoding can hold. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
