import { copyText } from "./copy-text.js";
import { countNewlines } from "./count-lines.js";
import { CUT_CONTEXT_BYTES, cutHead, cutTail } from "./cut-text.js";
import { TextTail } from "./text-tail.js";
import { joinEnds, splitCap, type Keep, type TruncatedText } from "./truncation-marker.js";

/** Options of BoundedText. */
export interface BoundedTextOptions {
  /** Most UTF-8 bytes of the text to keep; the marker is not counted. */
  readonly maxBytes: number;
  /** Which end stays. Default `both`. */
  readonly keep?: Keep;
}

/**
 * Collects a text of any length in memory proportional to its cap, and gives the same result as truncateText on the
 * whole. Time is linear in the text.
 */
export class BoundedText {
  readonly #maxBytes: number;
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #prefixLimitBytes: number;
  readonly #tail: TextTail;
  #prefix = "";
  #prefixBytes = 0;
  #pendingSurrogate = "";
  #bytes = 0;
  #newlines = 0;
  #endsInNewline = true;

  constructor({ maxBytes, keep = "both" }: BoundedTextOptions) {
    const { headBytes, tailBytes } = splitCap(maxBytes, keep);
    this.#maxBytes = maxBytes;
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
    this.#prefixLimitBytes = headBytes + CUT_CONTEXT_BYTES;
    this.#tail = new TextTail(tailBytes + CUT_CONTEXT_BYTES);
  }

  /** Adds the next piece of the text. */
  append(chunk: string): void {
    const text = this.#pendingSurrogate + chunk;
    const end = endsInHighSurrogate(text) ? text.length - 1 : text.length;
    this.#pendingSurrogate = text.slice(end);
    this.#add(text.slice(0, end));
  }

  /** UTF-8 bytes that were added. */
  get bytes(): number {
    return this.#bytes + Buffer.byteLength(this.#pendingSurrogate);
  }

  /** The text as far as it was added, cut to the cap. */
  result(): TruncatedText {
    const pending = this.#pendingSurrogate;
    const originalBytes = this.bytes;
    const originalLines = this.#newlines + (this.#endsInNewline && pending === "" ? 0 : 1);
    const rest = this.#tail.toString() + pending;
    if (originalBytes <= this.#maxBytes) {
      const text = this.#prefix + rest;
      return { text, originalBytes, originalLines, keptBytes: originalBytes, truncated: false };
    }
    const joined = this.#tail.complete ? this.#prefix + rest : undefined;
    const head = cutHead(joined ?? this.#prefix, this.#headBytes);
    const tail = cutTail(joined ?? rest, this.#tailBytes);
    return joinEnds({ head, tail, originalBytes, originalLines });
  }

  #add(text: string): void {
    if (text === "") return;
    this.#bytes += Buffer.byteLength(text);
    this.#newlines += countNewlines(text);
    this.#endsInNewline = text.endsWith("\n");
    const taken = this.#fillPrefix(text);
    this.#tail.append(taken === 0 ? text : text.slice(taken));
  }

  /** Takes the start of a chunk while the prefix has room, and says how many UTF-16 units it took. */
  #fillPrefix(text: string): number {
    const room = this.#prefixLimitBytes - this.#prefixBytes;
    if (room <= 0) return 0;
    let taken = Math.min(room, text.length);
    if (endsInHighSurrogate(text.slice(0, taken))) taken += 1;
    const piece = taken === text.length ? text : copyText(text.slice(0, taken));
    this.#prefix += piece;
    this.#prefixBytes += Buffer.byteLength(piece);
    return taken;
  }
}

function endsInHighSurrogate(text: string): boolean {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}
