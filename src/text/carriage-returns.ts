/**
 * What a carriage return that ends no line becomes. `newline`: a line end. `escape`: a visible `\r`. `overwrite`: as
 * on a terminal, what stands before it on its line is dropped, unless that is longer than 4,096 UTF-16 units: then it
 * becomes a line end.
 */
export type CarriageReturnMode = "newline" | "escape" | "overwrite";

/** Longest line of which a carriage return can drop the text, in UTF-16 units. */
const MAX_OVERWRITTEN_UNITS = 4096;

/**
 * Resolves carriage returns in a stream of text; `\r\n` is a line end in every mode. In mode `overwrite` it holds back
 * the current line, at most 4,096 UTF-16 units of it.
 */
export class CarriageReturns {
  readonly #mode: CarriageReturnMode;
  #pending = "";
  #line = "";
  #lineSpilled = false;

  constructor(mode: CarriageReturnMode) {
    this.#mode = mode;
  }

  /** True if nothing is held back and the next text can change nothing that was. */
  get isAtRest(): boolean {
    return this.#pending === "" && this.#mode !== "overwrite";
  }

  /** Text that no later chunk can change. */
  push(chunk: string): string {
    const text = this.#pending + chunk;
    const end = trailingReturnsStart(text);
    this.#pending = text.slice(end);
    const settled = text.slice(0, end);
    if (this.#mode !== "overwrite") return replaceReturns(settled, this.#mode);
    return this.#overwrite(settled);
  }

  /** Ends the text. */
  flush(): string {
    const pending = this.#pending;
    this.#pending = "";
    if (this.#mode !== "overwrite") return replaceReturns(pending, this.#mode);
    const line = this.#line;
    this.#line = "";
    this.#lineSpilled = false;
    return line;
  }

  #overwrite(text: string): string {
    let out = "";
    for (let at = 0; at < text.length;) {
      const found = text.indexOf("\r", at);
      const end = found < 0 ? text.length : found;
      out += this.#addPlain(text.slice(at, end));
      at = end;
      while (text.charAt(at) === "\r") at += 1;
      if (at > end && text.charAt(at) !== "\n") out += this.#returnToStart();
    }
    return out;
  }

  #addPlain(text: string): string {
    let out = "";
    const newline = text.lastIndexOf("\n");
    if (newline >= 0) {
      out = this.#line + text.slice(0, newline + 1);
      this.#line = "";
      this.#lineSpilled = false;
    }
    this.#line += text.slice(newline + 1);
    if (this.#line.length <= MAX_OVERWRITTEN_UNITS) {
      if (!this.#lineSpilled) return out;
    }
    this.#lineSpilled = true;
    out += this.#line;
    this.#line = "";
    return out;
  }

  #returnToStart(): string {
    const spilled = this.#lineSpilled;
    this.#line = "";
    this.#lineSpilled = false;
    return spilled ? "\n" : "";
  }
}

function trailingReturnsStart(text: string): number {
  let start = text.length;
  while (start > 0 && text.charAt(start - 1) === "\r") start -= 1;
  return start;
}

function replaceReturns(text: string, mode: "newline" | "escape"): string {
  if (!text.includes("\r")) return text;
  return text.replace(/\r\n?/g, (match) => (match === "\r" && mode === "escape" ? "\\r" : "\n"));
}
