import { ByteMaskStream } from "./byte-mask-stream.js";
import { makeDictionary } from "./dictionary.js";
import type { Secret } from "./dictionary.js";
import { TextMaskStream } from "./text-mask-stream.js";

/**
 * Masks one stream in chunks. What all of `push` and then `flush` return, joined, does not depend on where the chunks
 * are cut. `flush` ends the stream; a push after it begins another.
 */
export interface MaskStream<Chunk> {
  push(chunk: Chunk): Chunk;
  flush(): Chunk;
}

/** Replaces the values of secrets by their masks. */
export interface Masker {
  /** True if there is nothing to mask, so that callers can pass by. */
  readonly isEmpty: boolean;
  /** Masks a text that is there as a whole. */
  text(whole: string): string;
  /** Masks one stream of bytes, such as the output of a process. */
  byteStream(): MaskStream<Uint8Array>;
  /** Masks one stream of text. */
  textStream(): MaskStream<string>;
  /** Masks one stream of bytes with as many asterisks, so that every other byte stays where it was. */
  coverStream(): MaskStream<Uint8Array>;
  /** Most bytes that one occurrence can have. */
  readonly reachBytes: number;
}

/**
 * Makes a masker of secrets, for any number of texts and streams. Each value is masked in the forms of `secretForms`.
 *
 * Where occurrences overlap, one mask stands for all that they cover: that of the leftmost, and of the longest of
 * those. A mask stays as it is, so that masking again changes nothing; the exception is a value that begins with the
 * end of a mask or ends with the beginning of one.
 *
 * A value of less than 4 characters, not counting white space around it, is not masked, and one of less than 6 not in
 * base64 and the like: ordinary text holds them by chance, and masks would destroy it.
 */
export function createMasker(secrets: readonly Secret[]): Masker {
  const dictionary = makeDictionary(secrets);
  if (dictionary === undefined) return EMPTY;
  return {
    isEmpty: false,
    text: (whole) => {
      const stream = new TextMaskStream(dictionary);
      return stream.push(whole) + stream.flush();
    },
    byteStream: () => new ByteMaskStream(dictionary),
    textStream: () => new TextMaskStream(dictionary),
    coverStream: () => new ByteMaskStream(dictionary, { keepsLength: true }),
    reachBytes: dictionary.reachBytes,
  };
}

const passBytes = (): MaskStream<Uint8Array> => ({ push: (chunk) => chunk, flush: () => new Uint8Array(0) });

const EMPTY: Masker = {
  isEmpty: true,
  text: (whole) => whole,
  byteStream: passBytes,
  coverStream: passBytes,
  reachBytes: 0,
  textStream: () => ({ push: (chunk) => chunk, flush: () => "" }),
};
