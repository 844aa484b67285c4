import { createHash } from "node:crypto";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { canonicalJson } from "../text/canonical-json.js";
import { JsonError } from "../text/json-error.js";

/** Most bytes of the arguments of a call as JSON: a text of 8 MiB with room for what JSON escapes. */
export const MAX_ARGUMENT_BYTES = 12 * 1024 * 1024;

/** The arguments of a call, or why they cannot be read. `hash` names them either way. */
export type ParsedArguments =
  { readonly value: unknown; readonly hash: string } | { readonly problem: string; readonly hash: string };

/** Reads the arguments of a request: a Struct or JSON text; absent is `{}`. */
export function parseArguments(input: ExecuteToolRequest["input"]): ParsedArguments {
  const text = argumentText(input);
  try {
    const { value, hash } = canonicalJson(text, { maxBytes: MAX_ARGUMENT_BYTES });
    return { value, hash };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { problem: error.message, hash: createHash("sha256").update(text).digest("hex") };
  }
}

function argumentText(input: ExecuteToolRequest["input"]): string {
  if (input.case === "arguments") return JSON.stringify(input.value);
  return input.case === "argumentsJson" ? input.value : "";
}
