import { isUtf8 } from "node:buffer";
import { MAX_PARTIAL_BYTES, type TextPiece } from "./text-decoding.js";

/** Bytes of a UTF-8 piece that belong to characters its edges cut. */
export interface Utf8Edges {
  readonly startBytes: number;
  readonly endBytes: number;
}

/** Finds the parts of characters at the cut edges of a UTF-8 piece. Edges that are not cut have none. */
export function utf8Edges({ data, cutStart = false, cutEnd = false }: TextPiece): Utf8Edges {
  const startBytes = cutStart ? leadingContinuations(data) : 0;
  return { startBytes, endBytes: cutEnd ? partialTail(data.subarray(startBytes)) : 0 };
}

/** True if the piece is UTF-8 apart from the characters that its edges cut. */
export function isUtf8Piece(piece: TextPiece): boolean {
  const { startBytes, endBytes } = utf8Edges(piece);
  return isUtf8(piece.data.subarray(startBytes, piece.data.length - endBytes));
}

function leadingContinuations(data: Uint8Array): number {
  let count = 0;
  while (count < MAX_PARTIAL_BYTES && isContinuation(data[count])) count += 1;
  return count;
}

function partialTail(data: Uint8Array): number {
  for (let back = 1; back <= MAX_PARTIAL_BYTES && back <= data.length; back += 1) {
    const byte = data[data.length - back];
    if (byte === undefined) return 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  return 1;
}
