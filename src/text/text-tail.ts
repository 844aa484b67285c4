import { copyText } from "./copy-text.js";

const COALESCE_UNITS = 4096;

/** Keeps at least the last `minBytes` UTF-8 bytes of a text that arrives in chunks, and not much more. */
export class TextTail {
  readonly #minBytes: number;
  #chunks: { text: string; bytes: number }[] = [];
  #bytes = 0;
  #complete = true;

  constructor(minBytes: number) {
    this.#minBytes = minBytes;
  }

  /** True while nothing was dropped. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Adds a chunk that does not end inside a surrogate pair. */
  append(chunk: string): void {
    if (chunk === "") return;
    const text = this.#lastOf(chunk);
    const bytes = Buffer.byteLength(text);
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.text.length + text.length <= COALESCE_UNITS) {
      last.text += text;
      last.bytes += bytes;
    } else {
      this.#chunks.push({ text, bytes });
    }
    this.#bytes += bytes;
    this.#dropFront();
  }

  toString(): string {
    return this.#chunks.map((chunk) => chunk.text).join("");
  }

  /** The end of a chunk that is itself longer than what must be kept: a copy, so that the chunk can be freed. */
  #lastOf(chunk: string): string {
    if (chunk.length <= this.#minBytes + COALESCE_UNITS) return chunk;
    let from = chunk.length - this.#minBytes;
    if (isLowSurrogate(chunk, from)) from -= 1;
    this.#complete = false;
    this.#chunks = [];
    this.#bytes = 0;
    return copyText(chunk.slice(from));
  }

  #dropFront(): void {
    for (;;) {
      const first = this.#chunks[0];
      if (first === undefined || this.#bytes - first.bytes < this.#minBytes) return;
      this.#chunks.shift();
      this.#bytes -= first.bytes;
      this.#complete = false;
    }
  }
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
