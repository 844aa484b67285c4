import { asciiText } from "./ascii-text.js";

/**
 * Decodes one stream of UTF-8 in chunks. A character that is split over chunks is joined; bytes that are no character
 * become U+FFFD; a byte order mark stays. Each stream needs a decoder of its own.
 */
export class StreamDecoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** True if the last chunk may have ended inside a character. */
  #midCharacter = false;

  /** True if no part of a character is held back. */
  get isAtRest(): boolean {
    return !this.#midCharacter;
  }

  /** Text of the chunk as far as its characters are complete. */
  push(chunk: Uint8Array): string {
    const ascii = this.#midCharacter ? undefined : asciiText(chunk);
    if (ascii !== undefined) return ascii;
    const last = chunk.at(-1);
    if (last !== undefined) this.#midCharacter = last >= 0x80;
    return this.#decoder.decode(chunk, { stream: true });
  }

  /** Ends the stream: one U+FFFD if it stopped inside a character, else empty. */
  flush(): string {
    this.#midCharacter = false;
    return this.#decoder.decode();
  }
}
