import { readFileSync } from "node:fs";
import { z } from "zod";
import { ConfigError } from "./environment.js";

const entry = z.strictObject({
  token: z.string().min(16, "a token has at least 16 characters"),
  tenant: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/),
  user: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/)
    .optional(),
  rights: z.array(z.enum(["execute", "respond", "manage"])).default(["execute", "respond", "manage"]),
});

/** One token and whom it stands for. */
export type TokenEntry = z.infer<typeof entry>;

/** Reads a JSON file with a list of `{token, tenant, user?, rights?}`. Throws ConfigError; no token stands in it. */
export function readTokensFile(path: string): readonly TokenEntry[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(
      `HANDRAIL_TOKENS_FILE: cannot be read (${(error as NodeJS.ErrnoException).code ?? "?"})`,
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ConfigError("HANDRAIL_TOKENS_FILE: is not JSON");
  }
  const parsed = z.array(entry).min(1, "has no entry").safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(
    `HANDRAIL_TOKENS_FILE: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}`,
  );
}
