/** How the units of a text file are laid out. `bytes` is UTF-8 and every legacy charset. */
export type TextLayout = "bytes" | "utf16le" | "utf16be";

/** A piece of a file's bytes. Says whether an edge may cut a character. */
export interface TextPiece {
  readonly data: Uint8Array;
  /** True if bytes of the same line or file stand before `data`. Default false. */
  readonly cutStart?: boolean;
  /** True if bytes of the same line or file follow `data`. Default false. */
  readonly cutEnd?: boolean;
}

/** A decoded piece. */
export interface DecodedPiece {
  readonly text: string;
  /** Bytes at the start that belong to a character which began before the piece. Not in `text`. */
  readonly skippedStartBytes: number;
  /** Bytes at the end that belong to a character which ends after the piece. Not in `text`: read on from there. */
  readonly skippedEndBytes: number;
}

/** Most bytes of a character that an edge can leave behind. */
export const MAX_PARTIAL_BYTES = 3;
