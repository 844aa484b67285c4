import { randomUUID } from "node:crypto";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { CallContext } from "../../gen/handrail/v1/context_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import type { CallRegistry } from "../../src/calls/call-registry.js";
import type { CallArchive } from "../../src/calls/call-archive.js";
import type { Epochs } from "../../src/calls/epochs.js";
import { DEFAULT_POLICY } from "../../src/calls/limits.js";
import { DEFAULT_RECOVERY, recoveryMemory } from "../../src/calls/recoveries.js";
import { Slots } from "../../src/calls/slots.js";
import type { TurnWindows } from "../../src/calls/turn-windows.js";
import { composeChain } from "../../src/compose-chain.js";
import { kPrincipal } from "../../src/rpc/context-keys.js";
import { createMasker } from "../../src/secrets/masker.js";
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
  const bugs: unknown[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: ({ err }: { err?: unknown }) => void bugs.push(err),
  };
  const workspace = { leftRuns: () => Promise.resolve(options.leftRuns?.() ?? 0) } as Partial<Workspace>;
  const workspaces = { peek: () => workspace } as unknown as WorkspaceManager;
  const masker = createMasker(options.secrets ?? []);
  const kept = new Map<string, Buffer>();
  const { archive } = options;
  const {
    local: client,
    registry,
    windows,
    epochs,
  } = composeChain({
    tools: new ToolRegistry(options.tools),
    policy: DEFAULT_POLICY,
    slots: new Slots(),
    conditions: { environment: new Set(), mcpEnabled: false, connectorsAllowed: false },
    ...{ workspaces, log },
    maskers: { of: () => masker },
    recovery: { policy: DEFAULT_RECOVERY, memory: recoveryMemory() },
    ...(archive === undefined ? {} : { archive: () => archive }),
    keepWhole: (call, { kind, data }) => {
      const id = `${call.id}.${kind}`;
      kept.set(id, Buffer.from(data));
      return Promise.resolve({ id, path: `/kept/${id}`, extent: "whole" });
    },
    readiness: { require: () => Promise.resolve() },
  });
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
