import { inputSchema } from "./input-schema.js";
import type { ToolFormatter } from "./tool-formatter.js";

/** `{name, description, input_schema}` with a JSON Schema 2020-12. */
export const jsonSchemaFormat: ToolFormatter = (tool) => ({
  name: tool.name,
  description: tool.description,
  input_schema: inputSchema(tool),
});
