import type { AnyTool } from "../define.js";

/** Makes the definition of a tool as a model API wants it. */
export type ToolFormatter = (tool: AnyTool) => object;
