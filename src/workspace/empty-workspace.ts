import { FilesFailed } from "./files-failed.js";
import { runProgram } from "./run-program.js";
import type { Workspace } from "./workspace.js";

const EMPTY = `
find . -mindepth 1 -maxdepth 1 | wc -l
find . -mindepth 1 -maxdepth 1 -exec chmod -R u+rwX {} + 2>/dev/null
find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + >&2
[ -z "$(find . -mindepth 1 -print -quit)" ]
`;

/** Removes every file of a workspace and resolves with how many stood at its top. Throws FilesFailed, SandboxLost. */
export async function emptyWorkspace(workspace: Workspace, signal: AbortSignal): Promise<number> {
  const { code, stdout, stderr } = await runProgram(workspace, { argv: ["bash", "-c", EMPTY], signal });
  if (code === 0) return Number(stdout.trim());
  throw new FilesFailed("files", `not all files could be removed: ${stderr.trim().slice(0, 500)}`);
}
