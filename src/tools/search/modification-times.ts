import type { ToolContext } from "../define.js";
import { RecordSplitter } from "./record-splitter.js";
import type { FoundPath } from "./shown-path.js";

/** When a file was last changed. */
export interface DatedPath {
  readonly path: FoundPath;
  /** Seconds since 1970, with fractions. */
  readonly modifiedSeconds: number;
  readonly sizeBytes: number;
}

/** Most bytes of what is printed of one file. */
const MAX_RECORD_BYTES = 64 * 1024;

/**
 * Reads the paths from a file that is its last argument. They are data in that file and never part of the command, so
 * they may hold any byte.
 */
const COMMAND = `exec xargs -0 -r -a "$1" stat --printf '%.9Y %s %n\\0' --`;

/** Says when files were changed, newest first; files of equal age by path. What has gone meanwhile is left out. */
export async function newestFirst(
  paths: readonly FoundPath[],
  { workspace, signal, ...context }: ToolContext<"workspace">,
): Promise<DatedPath[]> {
  const byBytes = new Map(paths.map((path) => [path.bytes.toString("latin1"), path]));
  const dated: DatedPath[] = [];
  const splitter = new RecordSplitter({
    separator: 0,
    maxBytes: MAX_RECORD_BYTES,
    onRecord({ data }) {
      const [, seconds, bytes, name = ""] = /^(\S+) (\d+) (.*)$/s.exec(data.toString("latin1")) ?? [];
      const path = byBytes.get(name);
      if (path === undefined) return;
      dated.push({ path, modifiedSeconds: Number(seconds), sizeBytes: Number(bytes) });
    },
  });
  await workspace.processes.run({
    runId: `${context.callId}.${context.attempt}.stat`,
    argv: ["sh", "-c", COMMAND, "sh"],
    script: Buffer.concat(paths.flatMap(({ bytes }) => [bytes, Buffer.of(0)])),
    signal,
    killGraceMs: 0,
    onOutput: (stream, data) => {
      if (stream === "stdout") splitter.push(data);
    },
  });
  return dated.sort(
    (one, other) => other.modifiedSeconds - one.modifiedSeconds || (one.path.text < other.path.text ? -1 : 1),
  );
}
