import type { ContentPart, Result } from "../../gen/handrail/v1/result_pb.js";
import type { Masker } from "../secrets/masker.js";

/** Masks every text of a result in place. */
export function maskResult(result: Result, masker: Masker): void {
  for (const part of result.content) maskPart(part, masker);
  result.structuredJson = masker.text(result.structuredJson);
  result.notices = result.notices.map((notice) => masker.text(notice));
  for (const change of result.changes) change.path = masker.text(change.path);
  if (result.error !== undefined) {
    result.error.message = masker.text(result.error.message);
    result.error.hint = masker.text(result.error.hint);
  }
  if (result.abort !== undefined) result.abort.reason = masker.text(result.abort.reason);
}

function maskPart(content: ContentPart, masker: Masker): void {
  content.altText = masker.text(content.altText);
  const { part } = content;
  switch (part.case) {
    case "text":
      part.value.text = masker.text(part.value.text);
      return;
    case "file":
      part.value.path = masker.text(part.value.path);
      return;
    case "resource":
      part.value.uri = masker.text(part.value.uri);
      return;
    case "blob":
    case undefined:
      return;
  }
}
