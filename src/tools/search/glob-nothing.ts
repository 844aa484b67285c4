import { FileKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import type { ToolContext } from "../define.js";
import type { GlobCollector } from "./glob-collector.js";
import { hiddenNotice } from "./glob-result.js";
import type { GlobTarget } from "./glob-target.js";
import type { RipgrepEnd } from "./ripgrep.js";
import { inWorkspace } from "./search-place.js";
import type { SearchPlace } from "./search-place.js";

/** Says that no file matches, what was looked at, and what may be meant. */
export async function nothingMatches(options: {
  collector: GlobCollector;
  end: RipgrepEnd;
  pattern: string;
  target: GlobTarget;
  place: SearchPlace;
  context: ToolContext<"workspace">;
}): Promise<ToolResult> {
  const { collector, end, pattern, place } = options;
  const { kind, path } = await literalKind(options);
  if (kind === FileKind.FILE) {
    return textResult(path, {
      structured: { files: [{ path }], files_left_out: 0, matched: 1, hidden: 0, complete: true },
    });
  }
  const directory = kind === FileKind.DIRECTORY ? path : collector.matchingDirectory();
  const notices = [
    ...(end.how === "aborted" ? ["the search was stopped before its end"] : []),
    ...(directory === undefined
      ? []
      : [
          `${JSON.stringify(directory)} is a directory; find the files in it with ${JSON.stringify(`${directory}/**`)}`,
        ]),
    ...(collector.hidden > 0 ? [hiddenNotice(collector.hidden)] : []),
    ...end.notes.notices({ ignoredHint: "set ignored to find such files too" }),
  ];
  const looked = `${collector.seen} ${collector.seen === 1 ? "file" : "files"} looked at`;
  const text = `No files match ${JSON.stringify(pattern.slice(0, 300))} in ${place.shown} (${looked}).`;
  return textResult([text, ...notices.map((notice) => `[${notice}]`)].join("\n"), {
    structured: {
      files: [],
      files_left_out: 0,
      matched: 0,
      hidden: collector.hidden,
      ignored: { count: end.notes.ignoredCount, first: end.notes.ignored },
      complete: end.how === "complete",
    },
  });
}

/** What a pattern without wildcards names itself; a file that ignore rules leave out is found so. */
async function literalKind(options: {
  pattern: string;
  target: GlobTarget;
  context: ToolContext<"workspace">;
}): Promise<{ kind: FileKind | undefined; path: string }> {
  const { pattern, target, context } = options;
  const { files, root } = context.workspace;
  const isStopped = () => context.signal.aborted;
  const path = inWorkspace(`${target.base}/${target.rest.replace(/^\//, "")}`, root);
  if (/[*?[{\\]/.test(pattern) || isStopped()) return { kind: undefined, path };
  try {
    const { kind } = await files.stat({ path, signal: context.signal });
    return { kind, path };
  } catch (error) {
    if (error instanceof AgentFailure || isStopped()) return { kind: undefined, path };
    throw error;
  }
}
