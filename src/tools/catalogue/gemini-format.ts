import { geminiSchema } from "./gemini-schema.js";
import { plainInputSchema } from "./input-schema.js";
import type { ToolFormatter } from "./tool-formatter.js";

/** A function declaration of the Gemini API. A tool without arguments has no `parameters`, which may not be empty. */
export const geminiFormat: ToolFormatter = (tool) => {
  const schema = plainInputSchema(tool);
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  return {
    name: tool.name,
    description: tool.description,
    ...(isEmpty ? {} : { parameters: geminiSchema(schema) }),
  };
};
