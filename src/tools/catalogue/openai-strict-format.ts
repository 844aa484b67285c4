import { openaiFormat } from "./openai-format.js";
import { plainInputSchema } from "./input-schema.js";
import { isClosedSchema, strictSchema } from "./strict-schema.js";
import type { ToolFormatter } from "./tool-formatter.js";

/**
 * A function tool of the OpenAI chat completions API with `strict: true`. A tool that takes keys which are not known
 * beforehand cannot be strict and is offered as any other.
 */
export const openaiStrictFormat: ToolFormatter = (tool) => {
  const schema = plainInputSchema(tool);
  if (!isClosedSchema(schema)) return openaiFormat(tool);
  return {
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      strict: true,
      parameters: strictSchema(schema),
    },
  };
};
