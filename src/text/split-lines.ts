/** A line of a text. */
export interface TextLine {
  /** Where it begins. */
  readonly start: number;
  /** Where its content ends, exclusive: before LF or CRLF. */
  readonly end: number;
  /** Where the next line begins; the end of the text after the last. */
  readonly next: number;
  readonly indent: string;
  /** The content without space at its start and end. */
  readonly words: string;
}

/** The lines of a text. What follows the last line end is a line only if it is not empty. */
export function splitLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline < 0 ? text.length : newline;
    const end = newline > start && text[newline - 1] === "\r" ? lineEnd - 1 : lineEnd;
    const content = text.slice(start, end);
    const words = content.trim();
    const indent = words === "" ? "" : content.slice(0, content.length - content.trimStart().length);
    const next = newline < 0 ? text.length : newline + 1;
    lines.push({ start, end, next, indent, words });
    start = next;
  }
  return lines;
}
