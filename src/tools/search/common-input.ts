import { z } from "zod";

/** Most characters of a pattern. */
const MAX_PATTERN_CHARACTERS = 10_000;

/** A pattern argument. */
export function patternInput(description: string) {
  return z
    .string()
    .min(1, "is empty; send what to look for")
    .max(MAX_PATTERN_CHARACTERS, `has more than ${MAX_PATTERN_CHARACTERS} characters`)
    .refine((text) => !text.includes("\0"), { error: "has a NUL character" })
    .describe(description);
}

/** The argument that names the place to search. */
export function pathInput(description: string) {
  return z
    .string()
    .min(1, "is empty; leave it out for the workspace")
    .max(4096, "has more than 4096 characters")
    .refine((text) => !text.includes("\0"), { error: "has a NUL character" })
    .optional()
    .describe(description);
}

/** A whole number argument with bounds. */
export function countInput(options: { min: number; max: number; description: string }) {
  const { min, max, description } = options;
  return z
    .number()
    .int("must be a whole number")
    .min(min, `must be ${min} or more`)
    .max(max, `must be at most ${max}`)
    .optional()
    .describe(description);
}

/** A yes or no argument. */
export function flagInput(description: string) {
  return z.boolean().optional().describe(description);
}
