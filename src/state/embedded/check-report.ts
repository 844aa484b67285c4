import { z } from "zod";

/** What the check of a database prints, as one line of JSON. */
export const checkReportSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("sound"), records: z.int().nonnegative() }),
  z.object({ outcome: z.literal("malformed"), message: z.string() }),
  z.object({
    outcome: z.literal("failed"),
    /** Of the system or of LMDB; absent if there was none. */
    code: z.union([z.number(), z.string()]).optional(),
    message: z.string(),
  }),
]);

/** What the check of a database prints, as one line of JSON. */
export type CheckReport = z.infer<typeof checkReportSchema>;
