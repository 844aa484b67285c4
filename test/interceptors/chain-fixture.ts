import { randomUUID } from "node:crypto";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { CallContext } from "../../gen/handrail/v1/context_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { CallRegistry } from "../../src/calls/call-registry.js";
import type { CallArchive } from "../../src/calls/call-archive.js";
import { Epochs } from "../../src/calls/epochs.js";
import { Leftovers } from "../../src/calls/leftovers.js";
import { DEFAULT_POLICY } from "../../src/calls/limits.js";
import { createLocalClient } from "../../src/calls/local-client.js";
import { DEFAULT_RECOVERY, Recoveries, recoveryMemory } from "../../src/calls/recoveries.js";
import { resultOfLeaving } from "../../src/calls/result-of-leaving.js";
import { Slots } from "../../src/calls/slots.js";
import { TurnWindows } from "../../src/calls/turn-windows.js";
import { createInterceptors } from "../../src/interceptors/index.js";
import { kPrincipal } from "../../src/rpc/context-keys.js";
import { executeToolHandler } from "../../src/rpc/execute-tool.js";
import { CallMetrics } from "../../src/metrics/call-metrics.js";
import { createMasker } from "../../src/secrets/masker.js";
import { FileViews } from "../../src/sessions/file-views.js";
import type { AnyTool } from "../../src/tools/define.js";
import { ToolRegistry } from "../../src/tools/registry.js";
import type { Workspace, WorkspaceManager } from "../../src/workspace/workspace.js";

/** What a test sets of a request. */
export type ChainRequest = Partial<Omit<ExecuteToolRequest, "context" | "$typeName" | "$unknown">> & {
  readonly context?: Partial<Omit<CallContext, "$typeName" | "$unknown">>;
};

/** One call through the chain. */
export interface ChainCall {
  readonly callId: string;
  readonly events: Promise<CallEvent[]>;
  readonly result: Promise<Result>;
}

/** The whole chain over given tools, without sandbox and network. */
export interface ChainForTest {
  readonly registry: CallRegistry;
  readonly windows: TurnWindows;
  readonly epochs: Epochs;
  readonly bugs: unknown[];
  /** Long texts that were kept whole, by the id of their artifact. */
  readonly kept: ReadonlyMap<string, Buffer>;
  call(
    tool: string,
    args?: Record<string, unknown> | string,
    request?: ChainRequest & { signal?: AbortSignal },
  ): ChainCall;
}

/** Makes it. `leftRuns` says how many runs have left processes. */
export function chainForTest(options: {
  tools: readonly AnyTool[];
  archive?: CallArchive;
  leftRuns?: () => number;
  tenant?: string;
  /** What is masked. Default: nothing. */
  secrets?: readonly { name: string; value: string }[];
}): ChainForTest {
  const registry = new CallRegistry(options.archive === undefined ? {} : { archive: options.archive });
  const windows = new TurnWindows();
  const epochs = new Epochs();
  const bugs: unknown[] = [];
  const onBug = (error: unknown) => void bugs.push(error);
  const workspace = { leftRuns: () => Promise.resolve(options.leftRuns?.() ?? 0) } as Partial<Workspace>;
  const workspaces = { peek: () => workspace } as unknown as WorkspaceManager;
  const leftovers = new Leftovers(workspaces);
  const recoveries = new Recoveries({
    workspaces,
    policy: DEFAULT_RECOVERY,
    memory: recoveryMemory(),
    log: { warn: () => undefined },
    onAttempt: () => undefined,
  });
  const masker = createMasker(options.secrets ?? []);
  const maskers = { of: () => masker };
  const kept = new Map<string, Buffer>();
  const metrics = new CallMetrics({ tools: options.tools.map(({ name }) => name), running: () => 0 });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { archive } = options;
  const interceptors = createInterceptors({
    tools: new ToolRegistry(options.tools),
    policy: DEFAULT_POLICY,
    slots: new Slots(),
    conditions: { environment: new Set(), mcpEnabled: false, connectorsAllowed: false },
    ...{ registry, windows, epochs, leftovers, recoveries, onBug, log: silent, metrics },
    callOptions: {
      resultOfLeaving,
      ...(archive === undefined ? {} : { keep: (call, result) => archive.close(call, result) }),
    },
    ...(archive === undefined ? {} : { archive }),
    maskers,
    keepWhole: (call, { kind, data }) => {
      const id = `${call.id}.${kind}`;
      kept.set(id, Buffer.from(data));
      return Promise.resolve({ id, path: `/kept/${id}` });
    },
    readiness: { require: () => Promise.resolve() },
  });
  const handler = executeToolHandler({
    ...{ workspaces, epochs, maskers, onBug, policy: DEFAULT_POLICY },
    fileViews: new FileViews(),
  });
  const client = createLocalClient({ interceptors, handler });
  return {
    ...{ registry, windows, epochs, bugs, kept },
    call(tool, args = {}, { signal = new AbortController().signal, context = {}, ...request } = {}) {
      const callId = request.callId ?? randomUUID();
      const stream = client.execute(
        {
          context: { projectId: "p", sessionId: "s", turnId: "t", userId: "u", ...context },
          tool,
          input: {
            case: "argumentsJson",
            value: typeof args === "string" ? args : JSON.stringify(args),
          },
          ...request,
          callId,
        },
        {
          signal,
          prepare: (values) =>
            values.set(kPrincipal, { tenant: options.tenant ?? "t", rights: new Set(["execute"] as const) }),
        },
      );
      const events = (async () => {
        const all: CallEvent[] = [];
        for await (const { event } of stream) if (event !== undefined) all.push(event);
        return all;
      })();
      const result = events.then((all) => {
        const last = all.at(-1)?.event;
        if (last?.case !== "result") throw new Error("the stream ended without a result");
        return last.value;
      });
      result.catch(() => undefined);
      return { callId, events, result };
    },
  };
}
