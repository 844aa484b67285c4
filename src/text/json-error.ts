/** JSON text that was refused. The message starts with the place. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  /** Line of the fault, from 1. */
  readonly line: number;
  /** Column of the fault in UTF-16 units, from 1. */
  readonly column: number;

  constructor(reason: string, place: { line: number; column: number }) {
    super(`line ${place.line}, column ${place.column}: ${reason}`);
    this.line = place.line;
    this.column = place.column;
  }
}

/** Makes the error for a fault at an offset in UTF-16 units. */
export function jsonErrorAt(text: string, offset: number, reason: string): JsonError {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return new JsonError(reason, { line, column: offset - lineStart + 1 });
}
