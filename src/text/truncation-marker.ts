/** Which end of a text is kept when it is cut. */
export type Keep = "head" | "tail" | "both";

/** A text after truncation. */
export interface TruncatedText {
  /** What was kept, with the marker if something was cut. */
  readonly text: string;
  /** UTF-8 bytes of the whole text. */
  readonly originalBytes: number;
  /** Lines of the whole text; a last line without line end counts. */
  readonly originalLines: number;
  /** UTF-8 bytes of the whole text that stand in `text`, without the marker. */
  readonly keptBytes: number;
  readonly truncated: boolean;
}

/** The marker that stands where bytes were cut. `omittedBytes` counts UTF-8 bytes. */
export function truncationMarker(omittedBytes: number): string {
  return `… [truncated, ${omittedBytes} more bytes]`;
}

/** The share of a byte cap that each end of a text gets. */
export function splitCap(maxBytes: number, keep: Keep): { headBytes: number; tailBytes: number } {
  if (keep === "head") return { headBytes: maxBytes, tailBytes: 0 };
  if (keep === "tail") return { headBytes: 0, tailBytes: maxBytes };
  return { headBytes: Math.ceil(maxBytes / 2), tailBytes: Math.floor(maxBytes / 2) };
}

/** Puts kept ends and marker together. */
export function joinEnds(options: {
  head: string;
  tail: string;
  originalBytes: number;
  originalLines: number;
}): TruncatedText {
  const { head, tail, originalBytes, originalLines } = options;
  const keptBytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  const text = head + truncationMarker(originalBytes - keptBytes) + tail;
  return { text, originalBytes, originalLines, keptBytes, truncated: true };
}
