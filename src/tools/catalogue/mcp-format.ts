import { plainInputSchema } from "./input-schema.js";
import type { ToolFormatter } from "./tool-formatter.js";

/** A tool of the Model Context Protocol, with hints that follow from its effect. */
export const mcpFormat: ToolFormatter = (tool) => {
  const isReadOnly = tool.effect === "none" || tool.effect === "read";
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: plainInputSchema(tool),
    annotations: {
      readOnlyHint: isReadOnly,
      ...(isReadOnly ? {} : { destructiveHint: tool.effect !== "session", idempotentHint: tool.rerunSafe }),
      openWorldHint: tool.effect === "external" || tool.effect === "execute" || tool.effect === undefined,
    },
  };
};
