import { z } from "zod";

/** Variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting is wrong: one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads variables by a shape whose keys are their names. Empty is absent. Throws ConfigError. */
export function readEnvironment<S extends z.ZodRawShape>(
  environment: Environment,
  shape: S,
): z.infer<z.ZodObject<S>> {
  const present = Object.fromEntries(
    Object.keys(shape)
      .filter((name) => environment[name] !== undefined && environment[name] !== "")
      .map((name) => [name, environment[name]]),
  );
  const parsed = z.object(shape).safeParse(present);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const name = String(issue?.path[0] ?? "environment");
  throw new ConfigError(`${name}: ${issue?.message ?? "is wrong"}`);
}

/** A whole number between two bounds, written in decimal. */
export function wholeNumber(bounds: { min: number; max: number; unit?: string }) {
  const { min, max, unit = "" } = bounds;
  const words = `must be a whole number from ${min} to ${max}${unit === "" ? "" : ` ${unit}`}`;
  return z
    .string()
    .regex(/^\d+$/, words)
    .transform(Number)
    .refine((value) => value >= min && value <= max, words);
}

/** Names separated by commas. */
export const commaList = z.string().transform((text) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
);
