import { asciiText } from "./ascii-text.js";
import { MAX_PARTIAL_BYTES, type DecodedPiece, type TextPiece } from "./text-decoding.js";
import { utf8Edges } from "./trim-utf8.js";
import { decodeWindows1252 } from "./windows-1252.js";

/**
 * Decodes one piece of a file whose encoding is known. Characters that a cut edge divides are left out and counted;
 * bytes that are no character become U+FFFD. Throws RangeError for a label that TextDecoder does not know.
 */
export function decodePiece(piece: TextPiece, encoding: string): DecodedPiece {
  if (encoding === "windows-1252") {
    return { text: decodeWindows1252(piece.data), skippedStartBytes: 0, skippedEndBytes: 0 };
  }
  const skippedStartBytes = startOffset(piece, encoding);
  const data = piece.data.subarray(skippedStartBytes);
  const skippedEndBytes = piece.cutEnd === true ? pendingBytes(data, encoding) : 0;
  const text = decode(data.subarray(0, data.length - skippedEndBytes), encoding);
  return { text, skippedStartBytes, skippedEndBytes };
}

function startOffset(piece: TextPiece, encoding: string): number {
  if (piece.cutStart !== true) return 0;
  if (encoding === "utf-8") return utf8Edges(piece).startBytes;
  const high = encoding === "utf-16le" ? piece.data[1] : encoding === "utf-16be" ? piece.data[0] : undefined;
  return high !== undefined && high >= 0xdc && high <= 0xdf && piece.data.length >= 2 ? 2 : 0;
}

/** Counts the bytes at the end that a streaming decoder holds back because their character is not complete. */
function pendingBytes(data: Uint8Array, encoding: string): number {
  if (encoding === "utf-8") return utf8Edges({ data, cutEnd: true }).endBytes;
  if (encoding === "utf-16le" || encoding === "utf-16be") return pendingUtf16Bytes(data, encoding);
  for (let back = 0; back <= MAX_PARTIAL_BYTES && back <= data.length; back += 1) {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true });
    decoder.decode(data.subarray(0, data.length - back), { stream: true });
    if (decoder.decode() === "") return back;
  }
  return 0;
}

function pendingUtf16Bytes(data: Uint8Array, encoding: string): number {
  const odd = data.length % 2;
  const unit = data.length - odd - 2;
  const high = data[encoding === "utf-16le" ? unit + 1 : unit];
  return high !== undefined && high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(data: Uint8Array, encoding: string): string {
  if (encoding === "utf-8") return asciiText(data) ?? UTF8.decode(data);
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(data);
}
