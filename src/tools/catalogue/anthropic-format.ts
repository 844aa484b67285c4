import { plainInputSchema } from "./input-schema.js";
import type { ToolFormatter } from "./tool-formatter.js";

/** A tool of the Anthropic messages API. */
export const anthropicFormat: ToolFormatter = (tool) => ({
  name: tool.name,
  description: tool.description,
  input_schema: plainInputSchema(tool),
});
