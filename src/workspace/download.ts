import { FilesFailed } from "./files-failed.js";
import { Handover } from "./handover.js";
import { runProgram } from "./run-program.js";
import type { ProgramEnd } from "./run-program.js";
import { insideOf } from "./uploads.js";
import type { Workspace } from "./workspace.js";

/** Options of download. */
export interface DownloadOptions {
  /** File or directory, relative to the workspace. */
  readonly path: string;
  readonly gzip: boolean;
  /** Names of files and directories that are left out wherever they are. */
  readonly exclude: readonly string[];
  readonly signal: AbortSignal;
}

/** What a download ends with. */
export interface Downloaded {
  readonly bytes: number;
  /** Files that changed or went away meanwhile, as tar names them. */
  readonly warnings: readonly string[];
}

/** Exit code of the script for a path that does not exist. */
const MISSING = 10;

/** Takes TARGET; its arguments go to tar. */
const PACK = `
[ -e "$TARGET" ] || [ -L "$TARGET" ] || exit ${MISSING}
if [ -d "$TARGET" ]; then cd "$TARGET" && exec tar "$@" . ; fi
cd "$(dirname "$TARGET")" && exec tar "$@" "./$(basename "$TARGET")"
`;

const MAX_WARNINGS = 20;

/**
 * Sends files of a workspace as a tar archive, piece by piece as the consumer takes them, and returns what it came to.
 * Throws FilesFailed, AgentFailure, SandboxLost.
 */
export async function* download(
  workspace: Workspace,
  { path, gzip, exclude, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array, Downloaded, undefined> {
  const leaving = new AbortController();
  const onAbort = (): void => leaving.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const pieces = new Handover<Uint8Array>();
  const options = ["--create", ...(gzip ? ["--gzip"] : []), ...exclude.map((name) => `--exclude=${name}`)];
  const ended = runProgram(workspace, {
    argv: ["bash", "-c", PACK, "tar", ...options, "--file=-"],
    env: { TARGET: insideOf(workspace, path), LC_ALL: "C" },
    signal: leaving.signal,
    onOutput: (data) => pieces.give(data),
  });
  ended.then(
    () => pieces.end(),
    () => pieces.end(),
  );
  let bytes = 0;
  try {
    for (let piece = await pieces.take(); piece !== undefined; piece = await pieces.take()) {
      bytes += piece.byteLength;
      yield piece;
    }
    return { bytes, warnings: warningsOf(await ended, path) };
  } finally {
    signal.removeEventListener("abort", onAbort);
    leaving.abort(new Error("nobody takes the archive any more"));
    pieces.close();
    await ended.catch(() => undefined);
  }
}

function warningsOf({ code, stderr }: ProgramEnd, path: string): string[] {
  if (code === MISSING)
    throw new FilesFailed("files", `${JSON.stringify(path)} does not exist in the workspace`);
  const lines = stderr
    .split("\n")
    .map((line) => line.replace(/^tar: (\.\/)?/, ""))
    .filter((line) => line !== "");
  if (code !== 0 && code !== 1)
    throw new FilesFailed("files", `the files could not be packed: ${lines.slice(0, 3).join("; ")}`);
  return lines.slice(0, MAX_WARNINGS);
}
