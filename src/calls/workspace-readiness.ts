import type { WorkspaceManager } from "../workspace/workspace.js";
import type { ProjectKey } from "./call.js";

/** Says, before a call is accepted, whether a sandbox can be had for it. */
export interface WorkspaceReadiness {
  /** Rejects with an RPC status if not. */
  require(key: ProjectKey): Promise<void>;
}

/** Options of checkedReadiness. */
export interface ReadinessOptions {
  readonly workspaces: WorkspaceManager;
  /** Rejects if no sandbox could be made now. */
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** Time limit of a check, in ms. Default 10,000. */
  readonly checkMs?: number;
  /** Turns what `check` rejects with into an RPC status. */
  readonly toStatus: (error: unknown) => Error;
  /** How long a check holds, in ms. Default 2,000. */
  readonly holdsMs?: number;
  readonly now?: () => number;
}

/** A project with a live workspace is ready; else the provider is asked, at most once in `holdsMs`. */
export function checkedReadiness(options: ReadinessOptions): WorkspaceReadiness {
  const { workspaces, check, toStatus, holdsMs = 2000, checkMs = 10_000, now = Date.now } = options;
  let last: { at: number; outcome: Promise<void> } | undefined;
  return {
    async require(key) {
      if (workspaces.peek(key) !== undefined) return;
      if (last === undefined || now() - last.at > holdsMs) {
        last = { at: now(), outcome: check(AbortSignal.timeout(checkMs)) };
        last.outcome.catch(() => {
          last = undefined;
        });
      }
      try {
        await last.outcome;
      } catch (error) {
        throw toStatus(error);
      }
    },
  };
}
