import type { SchemaNode } from "./input-schema.js";

/**
 * The subset of OpenAPI 3.0 that Gemini takes for arguments: types in upper case, `nullable` for null, enums of strings,
 * and of the limits only those of numbers.
 */
export function geminiSchema(node: SchemaNode): SchemaNode {
  const choices = (node.anyOf ?? node.oneOf ?? []).filter(({ type }) => type !== "null");
  const [only, ...others] = choices;
  const isNullable = acceptsNull(node) ? { nullable: true } : {};
  const described = node.description === undefined ? {} : { description: node.description };
  if (only !== undefined && others.length === 0) {
    return { ...geminiSchema(only), ...described, ...isNullable };
  }
  return {
    ...typeOf(node),
    ...described,
    ...isNullable,
    ...(choices.length === 0 ? {} : { anyOf: choices.map(geminiSchema) }),
    ...(node.minimum === undefined ? {} : { minimum: node.minimum }),
    ...(node.maximum === undefined ? {} : { maximum: node.maximum }),
    ...(node.items === undefined ? {} : { items: geminiSchema(node.items) }),
    ...objectOf(node),
  };
}

function acceptsNull({ type, anyOf, oneOf }: SchemaNode): boolean {
  return (Array.isArray(type) && type.includes("null")) || [...(anyOf ?? []), ...(oneOf ?? [])].some(isNull);
}

function isNull({ type }: SchemaNode): boolean {
  return type === "null";
}

function typeOf(node: SchemaNode): SchemaNode {
  const values = node.const === undefined ? node.enum : [node.const];
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  const name = types.find((type) => type !== "null");
  const texts = values?.filter((value) => typeof value === "string") ?? [];
  return {
    ...(name === undefined ? {} : { type: name.toUpperCase() }),
    ...(texts.length === 0 ? {} : { format: "enum", enum: texts }),
  };
}

function objectOf({ properties, required = [] }: SchemaNode): SchemaNode {
  if (properties === undefined) return {};
  const entries = Object.entries(properties).map(([key, part]) => [key, geminiSchema(part)] as const);
  return {
    properties: Object.fromEntries(entries),
    propertyOrdering: Object.keys(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}
