/** The line end that a text uses: the first one in it. Undefined if it has none. */
export function lineEndOf(text: string): "\n" | "\r\n" | undefined {
  const newline = text.indexOf("\n");
  if (newline < 0) return undefined;
  return text[newline - 1] === "\r" ? "\r\n" : "\n";
}

/** The text with every line end as given. */
export function withLineEnd(text: string, lineEnd: "\n" | "\r\n"): string {
  return text.replace(/\r?\n/g, () => lineEnd);
}

/** Number of the line, from 1, that an index of the text is in. */
export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
