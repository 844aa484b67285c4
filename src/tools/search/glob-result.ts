import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { fitList } from "./bounded-structured.js";
import type { GlobCollector } from "./glob-collector.js";
import type { DatedPath } from "./modification-times.js";
import type { RipgrepEnd } from "./ripgrep.js";
import { structuredPath } from "./shown-path.js";
import { TextRoom } from "./text-room.js";

/** The files that a pattern takes, newest first, and what is not shown. */
export function globResult(options: {
  collector: GlobCollector;
  end: RipgrepEnd;
  dated: readonly DatedPath[];
  /** Most files to show. */
  limit: number;
  /** Text budget of the call. */
  maxBytes: number;
}): ToolResult {
  const { collector, end, dated, limit, maxBytes } = options;
  const room = new TextRoom(maxBytes);
  const shown = dated.slice(0, limit);
  const firstLeftOut = shown.findIndex(({ path }) => !room.add([path.shown]));
  const files = firstLeftOut < 0 ? shown : shown.slice(0, firstLeftOut);
  const listed = files.map(({ path, modifiedSeconds, sizeBytes }) => ({
    ...structuredPath(path),
    modified_ms: Math.round(modifiedSeconds * 1000),
    size_bytes: sizeBytes,
  }));
  const fitting = fitList(listed);
  return textResult(room.text(noticesOf({ collector, end, shown: files.length, dated: dated.length })), {
    structured: {
      files: fitting,
      files_left_out: collector.matched - fitting.length,
      matched: collector.matched,
      hidden: collector.hidden,
      ignored: { count: end.notes.ignoredCount, first: end.notes.ignored },
      complete: end.how === "complete",
    },
  });
}

function noticesOf(options: {
  collector: GlobCollector;
  end: RipgrepEnd;
  shown: number;
  dated: number;
}): string[] {
  const { collector, end, shown, dated } = options;
  const { matched, files, hidden } = collector;
  const total = files.length < matched ? matched : dated;
  const notices: string[] = [];
  if (end.how === "aborted") notices.push("the search was stopped before its end; this is what it had found");
  if (shown < total) {
    notices.push(`the newest ${shown} of ${total} files; narrow the pattern or the path, or raise limit`);
  }
  if (files.length < matched) notices.push(`only ${files.length} of the ${matched} files were put in order`);
  if (hidden > 0) notices.push(hiddenNotice(hidden));
  return [...notices, ...end.notes.notices({ ignoredHint: "set ignored to find such files too" })];
}

/** Says that names with a leading dot were passed over. */
export function hiddenNotice(hidden: number): string {
  return hidden === 1
    ? "1 more file matches with a hidden name in its path; set hidden to find it"
    : `${hidden} more files match with a hidden name in their path; set hidden to find them`;
}
