import { decodePiece } from "./decode-piece.js";
import { detectCharset } from "./detect-charset.js";
import type { DecodedPiece, TextLayout, TextPiece } from "./text-decoding.js";

/** Decodes the lines of one file, all in the same encoding. */
export interface FileDecoder {
  /** Label of the WHATWG Encoding Standard in lower case, such as `utf-8`, `utf-16le` or `windows-1252`. */
  readonly encoding: string;
  /** True if text may differ from what the file holds: the charset is a guess, or bytes became U+FFFD. */
  readonly lossy: boolean;
  /** Decodes one line, or a part of one. */
  decode(line: TextPiece): DecodedPiece;
}

/** Options of createFileDecoder. */
export interface FileDecoderOptions {
  /** The first bytes of the file, with its byte order mark. Its end may cut a character. Default: none. */
  readonly head?: Uint8Array;
  readonly layout: TextLayout;
  /** Bytes of the byte order mark that `head` begins with: 0, 2 or 3. Default 0. */
  readonly bomBytes?: number;
  /** The lines that will be decoded, without line ends and byte order mark. */
  readonly lines: readonly TextPiece[];
}

/** Decides the encoding of a file once, from its head and the lines that were read of it. */
export function createFileDecoder(options: FileDecoderOptions): FileDecoder {
  const { encoding, certain } = decideEncoding(options);
  const lossy = !certain || options.lines.some((line) => isDamaged(line, encoding));
  return { encoding, lossy, decode: (line) => decodePiece(line, encoding) };
}

function decideEncoding({ head, layout, bomBytes = 0, lines }: FileDecoderOptions): {
  encoding: string;
  certain: boolean;
} {
  if (layout === "utf16le") return { encoding: "utf-16le", certain: true };
  if (layout === "utf16be") return { encoding: "utf-16be", certain: true };
  if (bomBytes === 3) return { encoding: "utf-8", certain: true };
  const first: TextPiece[] = head === undefined ? [] : [{ data: head.subarray(bomBytes), cutEnd: true }];
  return detectCharset([...first, ...lines]);
}

/** True if decoding makes a U+FFFD that the bytes do not spell. */
function isDamaged(line: TextPiece, encoding: string): boolean {
  if (encoding === "windows-1252") return false;
  const { text, skippedStartBytes, skippedEndBytes } = decodePiece(line, encoding);
  if (!text.includes("\ufffd")) return false;
  const kept = line.data.subarray(skippedStartBytes, line.data.length - skippedEndBytes);
  if (encoding === "utf-8") return !Buffer.from(text, "utf8").equals(kept);
  if (encoding === "utf-16le") return !Buffer.from(text, "utf16le").equals(kept);
  if (encoding === "utf-16be")
    return !(kept.length % 2 === 0 && Buffer.from(text, "utf16le").swap16().equals(kept));
  return true;
}
