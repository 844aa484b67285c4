import { createHash } from "node:crypto";
import { z } from "zod";
import type { AnyTool } from "./define.js";

/** A tool as a model API wants it. */
export type ToolFormatter = (tool: AnyTool) => object;

/** JSON Schema 2020-12 of the arguments of a tool. */
export function inputSchema(tool: AnyTool): object {
  return z.toJSONSchema(tool.input, { io: "input" });
}

/** `{name, description, input_schema}`. */
export const jsonSchemaFormat: ToolFormatter = (tool) => ({
  name: tool.name,
  description: tool.description,
  input_schema: inputSchema(tool),
});

/** Names a list of definitions: equal lists have equal names. */
export function etagOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
