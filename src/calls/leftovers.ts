import type { WorkspaceManager } from "../workspace/workspace.js";
import { projectKeyText } from "./call.js";
import type { ProjectKey } from "./call.js";

/** Longest wait for the answer of an agent, in ms. */
const ASK_MS = 2000;

/** Knows whether processes live that ended calls of a project have left, and that may change what others read. */
export class Leftovers {
  readonly #workspaces: Pick<WorkspaceManager, "peek">;
  readonly #suspected = new Map<string, symbol>();

  constructor(workspaces: Pick<WorkspaceManager, "peek">) {
    this.#workspaces = workspaces;
  }

  /** A call has ended and left processes. */
  note(key: ProjectKey): void {
    this.#suspected.set(projectKeyText(key), Symbol("left"));
  }

  /** True if such processes live or may live. The agent is only asked where a call has left some. */
  async live(key: ProjectKey): Promise<boolean> {
    const text = projectKeyText(key);
    const suspicion = this.#suspected.get(text);
    if (suspicion === undefined) return false;
    const workspace = this.#workspaces.peek(key);
    try {
      const left = workspace === undefined ? 0 : await workspace.leftRuns(AbortSignal.timeout(ASK_MS));
      if (left > 0) return true;
    } catch {
      // What cannot be asked may live: nothing is then shared.
      return true;
    }
    if (this.#suspected.get(text) === suspicion) this.#suspected.delete(text);
    return false;
  }
}
