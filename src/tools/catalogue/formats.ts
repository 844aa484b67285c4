import { ToolFormat } from "../../../gen/handrail/v1/tool_service_pb.js";
import { anthropicFormat } from "./anthropic-format.js";
import { geminiFormat } from "./gemini-format.js";
import { jsonSchemaFormat } from "./json-schema-format.js";
import { mcpFormat } from "./mcp-format.js";
import { openaiFormat } from "./openai-format.js";
import { openaiStrictFormat } from "./openai-strict-format.js";
import type { ToolFormatter } from "./tool-formatter.js";

const FORMATS: Readonly<Record<ToolFormat, ToolFormatter>> = {
  [ToolFormat.UNSPECIFIED]: jsonSchemaFormat,
  [ToolFormat.JSON_SCHEMA]: jsonSchemaFormat,
  [ToolFormat.OPENAI]: openaiFormat,
  [ToolFormat.OPENAI_STRICT]: openaiStrictFormat,
  [ToolFormat.ANTHROPIC]: anthropicFormat,
  [ToolFormat.GEMINI]: geminiFormat,
  [ToolFormat.MCP]: mcpFormat,
};

/** The formatter of a format; undefined for a number that is none. */
export function formatterOf(format: ToolFormat): ToolFormatter | undefined {
  const known: Readonly<Partial<Record<number, ToolFormatter>>> = FORMATS;
  return known[format];
}

/** Names of the formats, for a message. */
export const FORMAT_NAMES: readonly string[] = Object.values(ToolFormat).filter(
  (name): name is string => typeof name === "string" && name !== "UNSPECIFIED",
);
