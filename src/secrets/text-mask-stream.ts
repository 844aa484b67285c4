import { ByteMaskStream } from "./byte-mask-stream.js";
import type { Dictionary } from "./dictionary.js";

const LONE_SURROGATES = /([\ud800-\udfff]+)/u;
const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Masks one stream of text. A pair of surrogates may be cut; surrogates without a partner stay as they are. */
export class TextMaskStream {
  readonly #bytes: ByteMaskStream;
  #held = "";

  constructor(dictionary: Dictionary) {
    this.#bytes = new ByteMaskStream(dictionary);
  }

  /** Takes a chunk and gives what is certain. */
  push(chunk: string): string {
    const text = this.#held + chunk;
    this.#held = HIGH_SURROGATE_AT_END.exec(text)?.[0] ?? "";
    return this.#mask(text.slice(0, text.length - this.#held.length));
  }

  /** Ends the stream and gives the rest. A push after it begins another stream. */
  flush(): string {
    const rest = this.#mask(this.#held) + decode(this.#bytes.flush());
    this.#held = "";
    return rest;
  }

  /** No value holds a lone surrogate, which UTF-8 cannot express, so that none lies across one. */
  #mask(text: string): string {
    const [first = "", ...rest] = text.split(LONE_SURROGATES);
    const masked = [this.#push(first)];
    for (let index = 0; index < rest.length; index += 2) {
      masked.push(decode(this.#bytes.flush()), rest[index] ?? "", this.#push(rest[index + 1] ?? ""));
    }
    return masked.join("");
  }

  #push(text: string): string {
    const bytes = Buffer.from(text);
    const masked = this.#bytes.push(bytes);
    return masked === bytes ? text : decode(masked);
  }
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
