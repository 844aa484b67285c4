import type { SchemaNode } from "./input-schema.js";

/**
 * The subset of JSON Schema that strict function calling takes: every key is required, an optional one may be null, no
 * other keys are allowed, and what limits values but not their shape is left out.
 */
export function strictSchema(node: SchemaNode): SchemaNode {
  const { type, description, enum: values, const: constant, items } = node;
  const choices = node.anyOf ?? node.oneOf;
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(items === undefined ? {} : { items: strictSchema(items) }),
    ...(choices === undefined ? {} : { anyOf: choices.map(strictSchema) }),
    ...(type === "object" ? strictObject(node) : {}),
  };
}

/** True if the keys of all objects are known, which strict function calling asks for. */
export function isClosedSchema(node: SchemaNode): boolean {
  if (node.type === "object" && node.additionalProperties !== false) return false;
  const parts = [
    ...Object.values(node.properties ?? {}),
    ...(node.items === undefined ? [] : [node.items]),
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
  ];
  return isKnownShape(node) && parts.every(isClosedSchema);
}

/** False for parts that have no type or choice, and for references. */
function isKnownShape({ type, enum: values, const: constant, anyOf, oneOf }: SchemaNode): boolean {
  return [type, values, constant, anyOf, oneOf].some((keyword) => keyword !== undefined);
}

function strictObject({ properties = {}, required = [] }: SchemaNode): SchemaNode {
  const entries = Object.entries(properties).map(([key, part]) => {
    const strict = strictSchema(part);
    return [key, required.includes(key) ? strict : nullable(strict)] as const;
  });
  return {
    properties: Object.fromEntries(entries),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function nullable(node: SchemaNode): SchemaNode {
  const { type, anyOf, enum: values } = node;
  if (anyOf !== undefined) return { ...node, anyOf: [...anyOf, { type: "null" }] };
  const types = type === undefined ? [] : typeof type === "string" ? [type] : type;
  return {
    ...node,
    ...(types.length === 0 ? {} : { type: [...new Set([...types, "null"])] }),
    ...(values === undefined ? {} : { enum: [...new Set([...values, null])] }),
  };
}
