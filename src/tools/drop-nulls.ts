import { z } from "zod";

/**
 * Arguments without the optional keys that are null: models that must send every key send null for one that they would
 * leave out. A null stays where it is a value of its own or where the key is required.
 */
export function dropNulls(schema: unknown, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => dropNulls(inner.element, item));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value;
  const shape = inner.shape as Readonly<Record<string, z.ZodType | undefined>>;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (field === undefined) return [[key, part]];
      const isAbsent = part === null && acceptsAbsence(field) && !field.safeParse(null).success;
      return isAbsent ? [] : [[key, dropNulls(field, part)]];
    }),
  );
}

function acceptsAbsence(field: z.ZodType): boolean {
  return field.safeParse(undefined).success;
}

function unwrap(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? unwrap(schema.unwrap()) : schema;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
