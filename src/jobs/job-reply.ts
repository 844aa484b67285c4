import { z } from "zod";

/** The header of a job's answer. The message of a refusal is meant for the model. */
export const jobReplySchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("done"), result: z.unknown() }),
  z.object({ status: z.literal("refused"), message: z.string().max(2000) }),
  z.object({ status: z.literal("failed"), message: z.string().max(2000) }),
]);

/** The header of a job's answer. */
export type JobReply = z.infer<typeof jobReplySchema>;
