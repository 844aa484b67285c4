import { z } from "zod";
import { isWellFormed } from "../../text/well-formed.js";

/** Most bytes of a text that a tool writes into a file. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** The input field for a text that is written into a file exactly as it is sent. */
export function fileTextInput(description: string): z.ZodString {
  return z
    .string()
    .refine(isWellFormed, "has half of a surrogate pair, which no file can hold; send whole characters")
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_TEXT_BYTES,
      `is longer than ${MAX_TEXT_BYTES} bytes; write it in parts, or by a program`,
    )
    .describe(description);
}

/** The input field for the path of a file. */
export function filePathInput(description: string): z.ZodString {
  return z.string().min(1, "is empty; send the path of a file").describe(description);
}
