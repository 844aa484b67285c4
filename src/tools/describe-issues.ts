import type { z } from "zod";

/** Most problems that are named in one message. */
const MAX_NAMED = 5;

/** What is wrong with arguments, in one line: each problem with the place where it is. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], schema: z.ZodType): string {
  const named = issues.slice(0, MAX_NAMED).map((issue) => {
    const place = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    return `${place}${issue.message}`;
  });
  const more = issues.length - named.length;
  const known = issues.some((issue) => issue.code === "unrecognized_keys") ? knownKeys(schema) : "";
  return named.join("; ") + (more > 0 ? `; and ${more} more` : "") + known;
}

function knownKeys(schema: z.ZodType): string {
  const shape: unknown = (schema as { shape?: unknown }).shape;
  if (typeof shape !== "object" || shape === null) return "";
  return `. Known keys: ${Object.keys(shape).join(", ")}`;
}
