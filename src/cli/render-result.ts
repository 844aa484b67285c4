import type { Result } from "../../gen/handrail/v1/result_pb.js";

/** A result as text for a terminal: what a model would see. */
export function renderResult(result: Result): string {
  const parts = result.content.map(({ part, altText }) => {
    if (part.case === "text") return part.value.text.replace(/\n$/, "");
    if (part.case !== "blob") return altText;
    const { mediaType, width, height, data } = part.value;
    return `[${mediaType}, ${width} × ${height} pixels, ${data.byteLength} bytes] ${altText}`;
  });
  return parts.join("\n");
}
