import { createFileDecoder } from "./file-decoder.js";
import type { TextLayout } from "./text-decoding.js";

/** Text that was decoded from bytes. */
export interface DecodedText {
  readonly text: string;
  /** Label of the WHATWG Encoding Standard in lower case. */
  readonly encoding: string;
  /** True if text may differ from what the bytes mean: the charset is a guess, or bytes became U+FFFD. */
  readonly lossy: boolean;
}

/** Options of decodeText. */
export interface DecodeTextOptions {
  readonly layout: TextLayout;
  /** The first bytes of the same file, which help to find its charset. Their end may cut a character. */
  readonly head?: Uint8Array;
  /** True if bytes of the file precede these: a part of a character at the start is left out. Default false. */
  readonly cutStart?: boolean;
  /** True if bytes of the file follow these: a part of a character at the end is left out. Default false. */
  readonly cutEnd?: boolean;
}

/** Decodes bytes of one file. A byte order mark stays in the text as U+FEFF. */
export function decodeText(data: Uint8Array, options: DecodeTextOptions): DecodedText {
  const { layout, head, cutStart = false, cutEnd = false } = options;
  const piece = { data, cutStart, cutEnd };
  const decoder = createFileDecoder({ layout, lines: [piece], ...(head === undefined ? {} : { head }) });
  return { text: decoder.decode(piece).text, encoding: decoder.encoding, lossy: decoder.lossy };
}
