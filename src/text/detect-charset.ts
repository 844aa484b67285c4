import { analyse } from "chardet";
import { isUtf8Piece } from "./trim-utf8.js";
import type { TextPiece } from "./text-decoding.js";

/** The charset of a file. */
export interface DetectedCharset {
  /** Label of the WHATWG Encoding Standard in lower case. */
  readonly encoding: string;
  /** False if the charset is a guess: text may differ from what the file's author saw. */
  readonly certain: boolean;
}

const MULTI_BYTE: ReadonlyMap<string, string> = new Map([
  ["GB18030", "gb18030"],
  ["Shift_JIS", "shift_jis"],
  ["EUC-JP", "euc-jp"],
  ["EUC-KR", "euc-kr"],
  ["Big5", "big5"],
]);

const SINGLE_BYTE: ReadonlyMap<string, string> = new Map([
  ["windows-1251", "windows-1251"],
  ["KOI8-R", "koi8-r"],
  ["ISO-8859-5", "iso-8859-5"],
  ["windows-1253", "windows-1253"],
  ["ISO-8859-7", "iso-8859-7"],
  ["windows-1254", "windows-1254"],
  ["ISO-8859-9", "windows-1254"],
  ["windows-1250", "windows-1250"],
  ["ISO-8859-2", "iso-8859-2"],
  ["windows-1255", "windows-1255"],
  ["ISO-8859-8", "iso-8859-8"],
  ["windows-1256", "windows-1256"],
  ["ISO-8859-6", "iso-8859-6"],
  ["windows-1257", "windows-1257"],
  ["windows-1252", "windows-1252"],
  ["ISO-8859-1", "windows-1252"],
]);

const SAMPLE_BYTES = 16 * 1024;
const MULTI_BYTE_CONFIDENCE = 50;
const SINGLE_BYTE_CONFIDENCE = 20;
const SINGLE_BYTE_LEAD = 1.3;
/** Letters outside ASCII that a guess at a language needs. */
const SINGLE_BYTE_EVIDENCE = 8;
const FALLBACK = "windows-1252";

/**
 * Finds the one charset of the pieces of a file: UTF-8 if they are, mostly UTF-8 if stray bytes are few, a multi-byte
 * charset that statistics are sure of, else the likeliest single-byte charset, else windows-1252. A single-byte
 * charset is never certain, because any bytes fit it.
 */
export function detectCharset(pieces: readonly TextPiece[]): DetectedCharset {
  if (pieces.every(isUtf8Piece)) return { encoding: "utf-8", certain: true };
  const sample = sampleOf(pieces);
  if (isMostlyUtf8(sample)) return { encoding: "utf-8", certain: false };
  const matches = analyse(sample);
  const multi = matches.find((match) => MULTI_BYTE.has(match.name));
  if (multi !== undefined && multi.confidence >= MULTI_BYTE_CONFIDENCE) {
    const encoding = MULTI_BYTE.get(multi.name) ?? FALLBACK;
    return { encoding, certain: isValid(sample, encoding) };
  }
  const evidence = sample.reduce((count, byte) => (byte >= 0x80 ? count + 1 : count), 0);
  const encoding = evidence < SINGLE_BYTE_EVIDENCE ? FALLBACK : likeliestSingleByte(matches);
  return { encoding, certain: false };
}

function likeliestSingleByte(matches: readonly { name: string; confidence: number }[]): string {
  const [first, second] = matches.filter((match) => SINGLE_BYTE.has(match.name));
  if (first === undefined || first.confidence < SINGLE_BYTE_CONFIDENCE) return FALLBACK;
  if (second !== undefined && first.confidence < second.confidence * SINGLE_BYTE_LEAD) return FALLBACK;
  return SINGLE_BYTE.get(first.name) ?? FALLBACK;
}

function sampleOf(pieces: readonly TextPiece[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let left = SAMPLE_BYTES;
  for (const { data } of pieces) {
    if (left === 0) break;
    const from = data.findIndex((byte) => byte >= 0x80);
    if (from < 0) continue;
    const part = data.subarray(Math.max(0, from - 64)).subarray(0, left);
    parts.push(part, Uint8Array.of(0x0a));
    left -= part.length;
  }
  return Buffer.concat(parts);
}

/** Stray bytes are few if at least four well-formed multi-byte characters stand against each. */
function isMostlyUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder("utf-8").decode(sample);
  let good = 0;
  let bad = 0;
  for (const character of text) {
    if (character === "\ufffd") bad += 1;
    else if (character > "\u007f") good += 1;
  }
  return good >= 4 && good >= bad * 4;
}

function isValid(sample: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(sample);
  return !text.slice(0, -2).includes("\ufffd");
}
