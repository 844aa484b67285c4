import type { Result } from "../../gen/handrail/v1/result_pb.js";

/** What a result takes in memory, in bytes, about. */
export function resultSize(result: Result): number {
  let bytes = result.structuredJson.length;
  for (const { part } of result.content) {
    if (part.case === "text") bytes += part.value.text.length;
    if (part.case === "blob") bytes += part.value.data.byteLength;
  }
  return bytes;
}
