import { plainInputSchema } from "./input-schema.js";
import type { ToolFormatter } from "./tool-formatter.js";

/** A function tool of the OpenAI chat completions API. */
export const openaiFormat: ToolFormatter = (tool) => ({
  type: "function",
  function: {
    name: tool.name,
    description: tool.description,
    parameters: plainInputSchema(tool),
  },
});
