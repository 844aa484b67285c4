import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import type { RunEntry, RunRegistry } from "./run-registry.js";

/** Makes the handlers that end runs. A run that is being started is ended when it has started. */
export function createKillHandlers(registry: RunRegistry): Pick<AgentHandlers, "killRun" | "killAll"> {
  return {
    async killRun({ runId, graceMs }) {
      const entry = registry.find(runId);
      return { processesKilled: entry === undefined ? 0 : await kill(entry, Math.max(0, graceMs)) };
    },
    async killAll({ runIds }) {
      const wanted = new Set(runIds);
      const entries = registry.living().filter(({ runId }) => wanted.size === 0 || wanted.has(runId));
      const counts = await Promise.all(entries.map((entry) => kill(entry, 0)));
      return { processesKilled: counts.reduce((sum, count) => sum + count, 0) };
    },
  };
}

async function kill(entry: RunEntry, graceMs: number): Promise<number> {
  const run = await entry.run;
  return run === undefined ? 0 : run.kill({ graceMs });
}
