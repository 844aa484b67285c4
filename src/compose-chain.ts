import type { Interceptor } from "@connectrpc/connect";
import type { Call } from "./calls/call.js";
import { keepResults } from "./calls/call-archive.js";
import type { CallArchive } from "./calls/call-archive.js";
import { CallRegistry } from "./calls/call-registry.js";
import type { ServiceConditions } from "./calls/conditions-of.js";
import type { KeepWhole } from "./calls/cut-result.js";
import { Epochs } from "./calls/epochs.js";
import { Leftovers } from "./calls/leftovers.js";
import type { CallPolicy } from "./calls/limits.js";
import { createLocalClient } from "./calls/local-client.js";
import type { ExecuteToolHandler, LocalClient } from "./calls/local-client.js";
import type { Maskers } from "./calls/masked-workspace.js";
import { Recoveries } from "./calls/recoveries.js";
import type { RecoveryMemory, RecoveryPolicy } from "./calls/recoveries.js";
import { resultOfLeaving } from "./calls/result-of-leaving.js";
import type { Slots } from "./calls/slots.js";
import { TurnWindows } from "./calls/turn-windows.js";
import type { WorkspaceReadiness } from "./calls/workspace-readiness.js";
import { createInterceptors } from "./interceptors/index.js";
import type { CallLog } from "./interceptors/observe.js";
import { CallMetrics } from "./metrics/call-metrics.js";
import { executeToolHandler } from "./rpc/execute-tool.js";
import { FileViews } from "./sessions/file-views.js";
import type { ToolRegistry } from "./tools/registry.js";
import type { WorkspaceManager } from "./workspace/workspace.js";

/** What calls are made of. */
export interface ChainParts {
  readonly tools: ToolRegistry;
  readonly policy: CallPolicy;
  readonly slots: Slots;
  readonly conditions: ServiceConditions;
  readonly workspaces: WorkspaceManager;
  readonly readiness: WorkspaceReadiness;
  readonly maskers: Maskers;
  readonly keepWhole: KeepWhole;
  readonly recovery: { readonly policy: RecoveryPolicy; readonly memory: RecoveryMemory };
  /** Where calls outlive the process. Default: nowhere. */
  readonly archive?: (options: { onInterrupted: () => void }) => CallArchive;
  readonly log: CallLog;
}

/** The chain with its handler, and what else knows of calls. */
export interface Chain {
  readonly interceptors: Interceptor[];
  readonly execute: ExecuteToolHandler;
  readonly local: LocalClient;
  readonly registry: CallRegistry;
  readonly windows: TurnWindows;
  readonly epochs: Epochs;
  readonly recoveries: Recoveries;
  readonly metrics: CallMetrics;
}

/** Wires the chain: what stands between a request and its tool. */
export function composeChain(parts: ChainParts): Chain {
  const { archive: openArchive, ...given } = parts;
  const { tools, policy, workspaces, maskers, recovery, log } = given;
  const metrics = new CallMetrics({ tools: tools.names, running: () => registry.allRunning().length });
  const archive = openArchive?.({ onInterrupted: () => metrics.interrupted() });
  const registry = new CallRegistry({
    keptMs: policy.keptMs,
    ...(archive === undefined ? {} : { archive }),
  });
  const windows = new TurnWindows();
  const epochs = new Epochs();
  const leftovers = new Leftovers(workspaces);
  const onAttempt = () => metrics.recoveryBegan();
  const recoveries = new Recoveries({ workspaces, log, onAttempt, ...recovery });
  const onBug = (error: unknown, call: Call) =>
    log.error({ err: error, call_id: call.id, tool: call.facts.tool }, "a call met a bug of the service");
  const interceptors = createInterceptors({
    ...given,
    ...{ registry, windows, epochs, leftovers, recoveries, metrics, onBug },
    ...(archive === undefined
      ? { callOptions: { resultOfLeaving } }
      : { archive, callOptions: { resultOfLeaving, keep: keepResults(archive, log) } }),
  });
  const fileViews = new FileViews();
  const execute = executeToolHandler({ workspaces, fileViews, policy, epochs, maskers, onBug });
  const local = createLocalClient({ interceptors, handler: execute });
  return { interceptors, execute, local, registry, windows, epochs, recoveries, metrics };
}
