/** A text without differences that a search is to overlook, and where each of its units stands in the original. */
export interface FoldedText {
  readonly text: string;
  /** Where a unit begins in the original; for the length of the text, the end of the original. */
  startOf(index: number): number;
  /** Where a unit ends in the original. */
  endOf(index: number): number;
}

/** A way to fold. */
export type Fold = (text: string) => FoldedText;

/** Makes every line end LF. */
export const foldLineEnds: Fold = (text) => foldLines(text, { trim: false });

/** Makes every line end LF and takes spaces and tabs off the end of lines. */
export const foldTrailingSpace: Fold = (text) => foldLines(text, { trim: true });

const PUNCTUATION: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u00a0\u2002-\u200a\u202f\u3000]/g, " "],
];

/** Makes every line end LF, and typographic quotes, dashes and spaces plain. */
export const foldPunctuation: Fold = (text) => {
  const folded = foldLineEnds(text);
  const plain = PUNCTUATION.reduce((all, [pattern, by]) => all.replace(pattern, by), folded.text);
  return { ...folded, text: plain };
};

function foldLines(text: string, { trim }: { trim: boolean }): FoldedText {
  const starts = new Uint32Array(text.length + 1);
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline < 0 ? text.length : newline;
    const hasReturn = newline > at && text[newline - 1] === "\r";
    let end = hasReturn ? lineEnd - 1 : lineEnd;
    if (trim) while (end > at && isBlank(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(at, end));
    for (; at < end; at += 1) starts[length++] = at;
    if (newline >= 0) {
      pieces.push("\n");
      starts[length++] = hasReturn ? newline - 1 : newline;
    }
    at = newline < 0 ? text.length : newline + 1;
  }
  starts[length] = text.length;
  const startOf = (index: number) => starts[index] ?? text.length;
  return {
    text: pieces.join(""),
    startOf,
    endOf: (index) => startOf(index) + (text.startsWith("\r\n", startOf(index)) ? 2 : 1),
  };
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
