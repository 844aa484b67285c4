import type { WorkspaceManager } from "../workspace/workspace.js";
import { AbortReason } from "./abort-reason.js";
import type { Call, ProjectKey } from "./call.js";
import type { CallRegistry } from "./call-registry.js";
import type { TurnWindows } from "./turn-windows.js";

/** What AbortProject ended. */
export interface ProjectAbort {
  readonly callsAborted: number;
  readonly processesKilled: number;
}

/**
 * Ends the calls of a project, or of one of its sessions, and the processes that earlier ones left, and closes their
 * turns, so that what a loop still sends of them does not start. Resolves when all are dead.
 */
export async function abortProject(
  options: { registry: CallRegistry; workspaces: WorkspaceManager; windows: TurnWindows },
  target: { key: ProjectKey; sessionId: string; said: string; signal: AbortSignal },
): Promise<ProjectAbort> {
  const { registry, workspaces, windows } = options;
  const { key, sessionId, said, signal } = target;
  const isMeant = ({ facts }: Call) => sessionId === "" || facts.sessionId === sessionId;
  windows.close(key, sessionId);
  const aborted = registry
    .running(key)
    .filter(isMeant)
    .filter((call) => call.abort(new AbortReason("abort_project", said)));
  await Promise.all(aborted.map((call) => call.over));
  const killedWithCalls = aborted.reduce((sum, call) => sum + (call.result?.exit?.processesKilled ?? 0), 0);
  const workspace = workspaces.peek(key);
  if (workspace === undefined) return { callsAborted: aborted.length, processesKilled: killedWithCalls };
  const runIds = registry
    .all(key)
    .filter(isMeant)
    .map((call) => `${call.id}.1`);
  const killed = await workspace.processes.killAll(sessionId === "" ? { signal } : { runIds, signal });
  return { callsAborted: aborted.length, processesKilled: killedWithCalls + killed };
}
