/** Width that line numbers are aligned to; longer numbers take more. */
const NUMBER_WIDTH = 6;

/** One line with its number right-aligned to six columns and a tab, without line end: `     1\ttext`. */
export function numberLine(number: number, text: string): string {
  return `${String(number).padStart(NUMBER_WIDTH)}\t${text}`;
}

/** Numbers lines upwards from `firstLine` and joins them with newlines. No lines give an empty text. */
export function numberLines(lines: readonly string[], firstLine: number): string {
  return lines.map((line, index) => numberLine(firstLine + index, line)).join("\n");
}
