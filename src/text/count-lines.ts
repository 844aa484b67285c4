/** Counts the line ends of a text. */
export function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Counts the lines of a text; a last line without line end counts, an empty text has none. */
export function countLines(text: string): number {
  return countNewlines(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}
