import { z } from "zod";
import type { AnyTool } from "../define.js";

/** A JSON Schema, or a part of one. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly [keyword: string]: unknown;
}

/** JSON Schema 2020-12 of the arguments of a tool, without the bounds that every whole number has. */
export function inputSchema(tool: AnyTool): SchemaNode {
  return z.toJSONSchema(tool.input, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }) as SchemaNode;
}

/** The same without `$schema`, for APIs that take no such key. */
export function plainInputSchema(tool: AnyTool): SchemaNode {
  return Object.fromEntries(Object.entries(inputSchema(tool)).filter(([keyword]) => keyword !== "$schema"));
}
