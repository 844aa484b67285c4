import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import type { ToolContext } from "../define.js";
import { ContentCollector } from "./content-collector.js";
import { fitList } from "./bounded-structured.js";
import { isWhollyIgnored, passes, searchFault, searchNotices, searchReport } from "./grep-query.js";
import type { GrepQuery } from "./grep-query.js";
import { runRipgrep } from "./ripgrep.js";
import type { RipgrepEnd } from "./ripgrep.js";
import { TextRoom } from "./text-room.js";

/** Options of grepContent. */
export interface GrepContentOptions {
  readonly context: ToolContext<"workspace">;
  /** Lines to show before and after each match. */
  readonly before: number;
  readonly after: number;
}

/** Searches and shows the matching lines. */
export async function grepContent(query: GrepQuery, options: GrepContentOptions): Promise<ToolResult> {
  const { context, before, after } = options;
  const room = new TextRoom(context.text.maxBytes);
  const { limit, offset } = query;
  const collector = new ContentCollector({ limit, offset, room, takes: (path) => passes(query, path) });
  const end = await runRipgrep(context, {
    ...{ tool: "grep", name: query.ignored ? "all" : "search", ignored: query.ignored, separator: 0x0a },
    place: query.place.argument,
    arguments: [
      "--json",
      "--line-buffered",
      `--before-context=${before}`,
      `--after-context=${after}`,
      ...query.arguments,
    ],
    onRecord: (record) => collector.hear(record),
  });
  collector.finish();
  if (collector.taken > 0) return found(query, { room, collector, end });
  const fault = searchFault(end, query.pattern);
  if (fault !== undefined) return fault;
  if (await isWhollyIgnored(query, { context, notes: end.notes })) {
    const all = await grepContent({ ...query, ignored: true }, options);
    return {
      ...all,
      notices: [`ignore rules leave out all of ${query.place.shown}; it was searched all the same`],
    };
  }
  return nothing(query, { collector, end });
}

interface Collected {
  readonly collector: ContentCollector;
  readonly end: RipgrepEnd;
}

function found(query: GrepQuery, { room, collector, end }: Collected & { room: TextRoom }): ToolResult {
  const { taken, files, hasMore, matches } = collector;
  const next = query.offset + taken;
  const counted = `${taken} ${taken === 1 ? "match" : "matches"} in ${files} ${files === 1 ? "file" : "files"}`;
  const summary = hasMore
    ? `${counted}; there are more: go on with offset ${next}, or narrow the search with path, glob or type`
    : counted;
  const fitting = fitList(matches);
  return textResult(room.text([summary, ...foreignNotice(collector), ...searchNotices(end)]), {
    structured: {
      mode: "content",
      matches: fitting,
      matches_left_out: matches.length - fitting.length,
      next_offset: hasMore ? next : null,
      ...searchReport(end),
    },
  });
}

function nothing(query: GrepQuery, { collector, end }: Collected): ToolResult {
  const beyond = query.offset > 0 ? ` after the first ${query.offset}` : "";
  const text = `No matches${beyond} in ${query.place.shown}.`;
  const notices = [...foreignNotice(collector), ...searchNotices(end)].map((notice) => `[${notice}]`);
  return textResult([text, ...notices].join("\n"), {
    structured: {
      mode: "content",
      matches: [],
      matches_left_out: 0,
      next_offset: null,
      ...searchReport(end),
    },
  });
}

function foreignNotice({ foreign }: ContentCollector): string[] {
  return foreign === 0 ? [] : [`${foreign} lines of what ripgrep printed could not be read`];
}
