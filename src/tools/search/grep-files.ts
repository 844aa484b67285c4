import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import type { ToolContext } from "../define.js";
import { fitList } from "./bounded-structured.js";
import { FileListCollector } from "./file-list-collector.js";
import { isWhollyIgnored, passes, searchFault, searchNotices, searchReport } from "./grep-query.js";
import type { GrepQuery } from "./grep-query.js";
import { runRipgrep } from "./ripgrep.js";
import type { RipgrepEnd } from "./ripgrep.js";
import { TextRoom } from "./text-room.js";

/** Each file is one line `path NUL count`, which is printed at once. */
const COUNT_ARGUMENTS = ["--count", "--with-filename", "--null", "--line-buffered"];

/** Searches and shows the names of the files with matches, or how many lines match in each. */
export async function grepFiles(
  query: GrepQuery,
  options: { context: ToolContext<"workspace">; counts: boolean },
): Promise<ToolResult> {
  const { context, counts } = options;
  const room = new TextRoom(context.text.maxBytes);
  const { limit, offset } = query;
  const collector = new FileListCollector({
    limit,
    offset,
    room,
    counts,
    takes: (path) => passes(query, path),
  });
  const end = await runRipgrep(context, {
    ...{ tool: "grep", name: query.ignored ? "all" : "search", ignored: query.ignored, separator: 0 },
    place: query.place.argument,
    arguments: [...COUNT_ARGUMENTS, ...(counts ? [] : ["--max-count=1"]), ...query.arguments],
    onRecord: (record) => collector.hear(record),
  });
  if (collector.taken > 0) return listed({ query, room, collector, end, counts });
  const fault = searchFault(end, query.pattern);
  if (fault !== undefined) return fault;
  if (await isWhollyIgnored(query, { context, notes: end.notes })) {
    const all = await grepFiles({ ...query, ignored: true }, options);
    return {
      ...all,
      notices: [`ignore rules leave out all of ${query.place.shown}; it was searched all the same`],
    };
  }
  const beyond = offset > 0 ? ` after the first ${offset}` : "";
  const text = `No files with matches${beyond} in ${query.place.shown}.`;
  return textResult([text, ...searchNotices(end).map((notice) => `[${notice}]`)].join("\n"), {
    structured: { mode: counts ? "count" : "files", matches: [], next_offset: null, ...searchReport(end) },
  });
}

function listed(options: {
  query: GrepQuery;
  room: TextRoom;
  collector: FileListCollector;
  end: RipgrepEnd;
  counts: boolean;
}): ToolResult {
  const { query, room, collector, end, counts } = options;
  const { taken, seen, total, hasMore } = collector;
  const next = query.offset + taken;
  const all = counts
    ? `${total} matching lines in ${seen} ${seen === 1 ? "file" : "files"}`
    : filesWords(taken);
  const summary = hasMore
    ? `${all}${counts ? `, ${taken} shown` : ""}; there are more: go on with offset ${next}, or narrow the search with path, glob or type`
    : all;
  const matches = fitList(collector.matches);
  return textResult(room.text([summary, ...searchNotices(end)]), {
    structured: {
      mode: counts ? "count" : "files",
      matches,
      matches_left_out: collector.matches.length - matches.length,
      ...(counts ? { total } : {}),
      next_offset: hasMore ? next : null,
      ...searchReport(end),
    },
  });
}

function filesWords(files: number): string {
  return `${files} ${files === 1 ? "file" : "files"} with matches`;
}
