import { utf8Edges } from "../../text/trim-utf8.js";
import { neutralise } from "../../text/neutralise.js";

/** Longest line that is shown whole, in bytes. */
const WHOLE_LINE_BYTES = 500;
/** Bytes that are shown of a longer one. */
const WINDOW_BYTES = 400;
/** Bytes of the window that come before the match. */
const LEAD_BYTES = 120;

/** One line as it is shown: safe text, and how many bytes were left out on either side of the match. */
export function lineWindow(line: Buffer, matchStart: number): string {
  const data = withoutEnd(line);
  if (data.length <= WHOLE_LINE_BYTES) return safe(data);
  const start = Math.max(0, Math.min(matchStart - LEAD_BYTES, data.length - WINDOW_BYTES));
  const cut = data.subarray(start, start + WINDOW_BYTES);
  const cutStart = start > 0;
  const cutEnd = start + cut.length < data.length;
  const { startBytes, endBytes } = utf8Edges({ data: cut, cutStart, cutEnd });
  const kept = cut.subarray(startBytes, cut.length - endBytes);
  const before = start + startBytes;
  const after = data.length - before - kept.length;
  return `${omitted(before, "before")}${safe(kept)}${omitted(after, "after")}`;
}

function omitted(bytes: number, side: "before" | "after"): string {
  if (bytes === 0) return "";
  return side === "before" ? `[${bytes} bytes omitted] …` : `… [${bytes} bytes omitted]`;
}

function withoutEnd(line: Buffer): Buffer {
  let end = line.length;
  if (line[end - 1] === 0x0a) end -= 1;
  if (line[end - 1] === 0x0d) end -= 1;
  return line.subarray(0, end);
}

function safe(data: Buffer): string {
  return neutralise(data.toString().replaceAll("\r", "\\r"));
}
