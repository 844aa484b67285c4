import type { ToolResult } from "../../domain/tool-result.js";
import { toolError } from "../../domain/tool-result.js";
import type { ToolContext } from "../define.js";
import type { FileFilter } from "./file-filter.js";
import { runRipgrep } from "./ripgrep.js";
import type { RipgrepEnd } from "./ripgrep.js";
import type { SearchPlace } from "./search-place.js";
import type { FoundPath } from "./shown-path.js";

/** What a search in files looks for. */
export interface GrepQuery {
  readonly pattern: string;
  readonly place: SearchPlace;
  readonly filter: FileFilter;
  /** Options of ripgrep for the pattern and the filter. */
  readonly arguments: readonly string[];
  /** True to search also what ignore rules leave out. */
  readonly ignored: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** True if a found file passes the filter of a query; a file that is named itself always does. */
export function passes({ place, filter }: GrepQuery, { text }: FoundPath): boolean {
  if (!place.isDirectory) return true;
  const start = place.argument.replace(/^\.\//, "");
  return filter.takes(text.startsWith(start) ? text.slice(start.length) : text);
}

/**
 * True if nothing in the place would be searched because ignore rules exclude all of it. A place that is named is
 * searched all the same.
 */
export async function isWhollyIgnored(
  { place, ignored }: GrepQuery,
  { context, notes }: { context: ToolContext<"workspace">; notes: RipgrepEnd["notes"] },
): Promise<boolean> {
  if (ignored || place.isWorkspace || !place.isDirectory || notes.ignoredCount === 0) return false;
  let files = 0;
  await runRipgrep(context, {
    ...{ tool: "grep", name: "probe", place: place.argument, ignored: false, separator: 0 },
    arguments: ["--files", "--null"],
    onRecord: () => {
      files += 1;
      return true;
    },
  });
  return files === 0 && !context.signal.aborted;
}

/** The error of a search that found nothing because it could not be done; undefined if it was done. */
export function searchFault({ how, failed, notes }: RipgrepEnd, pattern: string): ToolResult | undefined {
  if (how !== "complete" || !failed) return undefined;
  const { fault, unreadableCount } = notes;
  if (unreadableCount > 0) {
    return toolError({
      code: "grep.unreadable",
      message: `Nothing was found, and not everything could be read. ${notes.notices({ ignoredHint: "" }).at(-1) ?? ""}`,
      hint: "Change the permissions, or search another place.",
    });
  }
  if (fault.startsWith("unrecognized file type")) {
    return toolError({
      code: "grep.unknown_type",
      message: `ripgrep does not know the type: ${fault}`,
      hint: "Use `glob` instead, such as *.ts.",
    });
  }
  return toolError({
    code: "grep.invalid_pattern",
    message: `The pattern ${JSON.stringify(pattern.slice(0, 200))} cannot be used: ${fault}`,
    hint: fault.includes("--multiline")
      ? "Set multiline to match line ends."
      : "Mend the regular expression, or set literal to look for the text as it is.",
  });
}

/** Sentences about what a search left out. */
export function searchNotices({ how, notes, failed }: RipgrepEnd): string[] {
  return [
    ...(how === "aborted" ? ["the search was stopped before its end; this is what it had found"] : []),
    ...notes.notices({ ignoredHint: "set ignored to search it too" }),
    ...(notes.fault === "" ? [] : [`ripgrep ${failed ? "failed" : "said"}: ${notes.fault.slice(0, 500)}`]),
  ];
}

/** The same for programs. */
export function searchReport({ how, notes }: RipgrepEnd) {
  return {
    complete: how === "complete",
    ignored: { count: notes.ignoredCount, first: notes.ignored },
    unreadable: { count: notes.unreadableCount, first: notes.unreadable },
  };
}
