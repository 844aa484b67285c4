import { isUtf8 } from "node:buffer";
import { characterBounds } from "./character-bounds.js";
import { decodePiece } from "./decode-piece.js";
import { createFileDecoder } from "./file-decoder.js";
import type { TextLayout } from "./text-decoding.js";

/** Bytes at the start of a file that help to find its charset. */
const HEAD_BYTES = 4096;

/** A file as text that can be changed in one place while every other byte stays. */
export interface EditableText {
  /**
   * The file without its byte order mark. `encode` of it gives the file back, byte for byte. In a file whose bytes are
   * not sure to be a text in its encoding, each character is one byte.
   */
  readonly text: string;
  /** Label of the WHATWG Encoding Standard in lower case. */
  readonly encoding: string;
  /** A text as it stands in `text`. Undefined if it cannot be written in the file's encoding for sure. */
  express(value: string): string | undefined;
  /** The bytes of the file for a changed text. */
  encode(text: string): Uint8Array;
  /** A piece of the text, to be shown. */
  show(piece: string): string;
  /** Where characters of the text begin. Undefined if that is everywhere. */
  readonly bounds: ((text: string) => (index: number) => boolean) | undefined;
}

/** Options of openEditable. */
export interface EditableOptions {
  /** The whole file. */
  readonly data: Uint8Array;
  readonly layout: TextLayout;
  /** Bytes of the byte order mark: 0, 2 or 3. */
  readonly bomBytes: number;
}

/** Makes a file editable. UTF-8 and UTF-16 take any text; other charsets, being a guess, only ASCII in ASCII's place. */
export function openEditable({ data, layout, bomBytes }: EditableOptions): EditableText {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const mark = bytes.subarray(0, bomBytes);
  const body = bytes.subarray(bomBytes);
  if (layout !== "bytes") return utf16Text(mark, body, layout);
  if (!isUtf8(body)) return byteText(bytes, bomBytes);
  return {
    text: body.toString("utf8"),
    encoding: "utf-8",
    express: same,
    encode: (text) => Buffer.concat([mark, Buffer.from(text, "utf8")]),
    show: same,
    bounds: undefined,
  };
}

function utf16Text(mark: Buffer, body: Buffer, layout: "utf16le" | "utf16be"): EditableText {
  const evenBytes = body.length - (body.length % 2);
  const rest = body.subarray(evenBytes);
  const swapped = (bytes: Buffer) => (layout === "utf16be" ? Buffer.from(bytes).swap16() : bytes);
  return {
    text: swapped(body.subarray(0, evenBytes)).toString("utf16le"),
    encoding: layout === "utf16be" ? "utf-16be" : "utf-16le",
    express: same,
    encode: (text) => Buffer.concat([mark, swapped(Buffer.from(text, "utf16le")), rest]),
    show: same,
    bounds: undefined,
  };
}

function byteText(bytes: Buffer, bomBytes: number): EditableText {
  const body = bytes.subarray(bomBytes);
  const { encoding } = createFileDecoder({
    head: bytes.subarray(0, HEAD_BYTES),
    layout: "bytes",
    bomBytes,
    lines: [{ data: body }],
  });
  return {
    text: body.toString("latin1"),
    encoding,
    express(value) {
      if (encoding === "utf-8") return Buffer.from(value, "utf8").toString("latin1");
      return /^[\0-\x7f]*$/.test(value) ? value : undefined;
    },
    encode: (text) => Buffer.concat([bytes.subarray(0, bomBytes), Buffer.from(text, "latin1")]),
    show: (piece) => decodePiece({ data: Buffer.from(piece, "latin1") }, encoding).text,
    bounds: characterBounds(encoding),
  };
}

function same(text: string): string {
  return text;
}
