import { toolError } from "../../domain/tool-result.js";
import type { ToolFailure, ToolResult } from "../../domain/tool-result.js";

/** A search that ends before it has begun, with the result that says why. */
export class SearchRefused extends Error {
  override readonly name = "SearchRefused";
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    super("the search was refused");
    this.result = result;
  }
}

/** Makes a refusal. `fixBy` is the model unless set. */
export function refused(
  failure: Omit<ToolFailure, "fixBy"> & { fixBy?: ToolFailure["fixBy"] },
): SearchRefused {
  return new SearchRefused(toolError(failure));
}

/** Runs a search; a refusal becomes its result. */
export async function orRefusal(search: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof SearchRefused) return error.result;
    throw error;
  }
}
