import { countLines } from "./count-lines.js";
import { cutHead, cutTail } from "./cut-text.js";
import { joinEnds, splitCap, type Keep, type TruncatedText } from "./truncation-marker.js";

/** Options of truncateText. */
export interface TruncateOptions {
  /** The text, or pieces of it in order. */
  readonly text: string | readonly string[];
  /** Most UTF-8 bytes of the text to keep; the marker is not counted. */
  readonly maxBytes: number;
  /** Which end stays. Default `head`. */
  readonly keep?: Keep;
}

/**
 * Cuts a text to a byte cap, between characters and rather between graphemes. Where bytes were cut stands
 * `… [truncated, N more bytes]`: after a head, before a tail, between both. Kept bytes and N add up to the original
 * bytes. A text that fits is left alone.
 */
export function truncateText({ text, maxBytes, keep = "head" }: TruncateOptions): TruncatedText {
  const whole = typeof text === "string" ? text : text.join("");
  const originalBytes = Buffer.byteLength(whole);
  const originalLines = countLines(whole);
  if (originalBytes <= maxBytes) {
    return { text: whole, originalBytes, originalLines, keptBytes: originalBytes, truncated: false };
  }
  const { headBytes, tailBytes } = splitCap(maxBytes, keep);
  const head = cutHead(whole, headBytes);
  const tail = cutTail(whole, tailBytes);
  return joinEnds({ head, tail, originalBytes, originalLines });
}
