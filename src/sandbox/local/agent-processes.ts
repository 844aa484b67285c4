import type { PipedChild } from "./process-pipe.js";

/** How long an agent has to end by itself once its pipe is closed, in ms. */
const END_GRACE_MS = 2000;

/** The living agent processes of a provider, by sandbox. */
export class AgentProcesses {
  readonly #children = new Map<PipedChild, string>();

  /** Watches over a child until it exits. */
  add(sandboxId: string, child: PipedChild): void {
    this.#children.set(child, sandboxId);
    child.once("exit", () => this.#children.delete(child));
  }

  /** Ends the agents of a sandbox, or all; resolves when they are dead. */
  async end(sandboxId?: string): Promise<void> {
    const children = [...this.#children].filter(([, id]) => sandboxId === undefined || id === sandboxId);
    await Promise.all(children.map(([child]) => endChild(child)));
  }
}

async function endChild(child: PipedChild): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => killGroup(child), END_GRACE_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.stdin.destroy();
  });
}

/** Kills the session leader and its process group. */
function killGroup(child: PipedChild): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
