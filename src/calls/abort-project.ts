import type { WorkspaceManager } from "../workspace/workspace.js";
import { AbortReason } from "./abort-reason.js";
import type { ProjectKey } from "./call.js";
import type { CallRegistry } from "./call-registry.js";

/** What AbortProject ended. */
export interface ProjectAbort {
  readonly callsAborted: number;
  readonly processesKilled: number;
}

/**
 * Ends the calls of a project, or of one of its sessions, and the processes that earlier ones left. Resolves when all
 * are dead.
 */
export async function abortProject(
  options: { registry: CallRegistry; workspaces: WorkspaceManager },
  target: { key: ProjectKey; sessionId: string; said: string; signal: AbortSignal },
): Promise<ProjectAbort> {
  const { registry, workspaces } = options;
  const { key, sessionId, said, signal } = target;
  const isMeant = (call: { sessionId: string }) => sessionId === "" || call.sessionId === sessionId;
  const aborted = registry
    .running(key)
    .filter(isMeant)
    .filter((call) => call.run.abort(new AbortReason("abort_project", said)));
  await Promise.all(aborted.map((call) => call.run.over));
  const killedWithCalls = aborted.reduce(
    (sum, call) => sum + (call.run.result?.exit?.processesKilled ?? 0),
    0,
  );
  const workspace = workspaces.peek(key);
  if (workspace === undefined) return { callsAborted: aborted.length, processesKilled: killedWithCalls };
  const runIds = registry
    .all(key)
    .filter(isMeant)
    .map((call) => `${call.id}.1`);
  const killed = await workspace.processes.killAll(sessionId === "" ? { signal } : { runIds, signal });
  return { callsAborted: aborted.length, processesKilled: killedWithCalls + killed };
}
