import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContextValues } from "@connectrpc/connect";
import { create } from "@bufbuild/protobuf";
import { z } from "zod";
import { ExecuteToolRequestSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import { Call } from "../../src/calls/call.js";
import type { CallFacts } from "../../src/calls/call.js";
import { storedArchive } from "../../src/calls/call-archive.js";
import { kAdmitted, kCall } from "../../src/calls/call-context.js";
import { DEFAULT_POLICY } from "../../src/calls/limits.js";
import { DEFAULT_RECOVERY, recoveryMemory } from "../../src/calls/recoveries.js";
import { resultOfLeaving } from "../../src/calls/result-of-leaving.js";
import { Run } from "../../src/calls/run.js";
import { Slots } from "../../src/calls/slots.js";
import { composeChain } from "../../src/compose-chain.js";
import { textResult } from "../../src/domain/tool-result.js";
import { kPrincipal } from "../../src/rpc/context-keys.js";
import { createMasker } from "../../src/secrets/masker.js";
import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";
import { defineTool } from "../../src/tools/define.js";
import { ToolRegistry } from "../../src/tools/registry.js";
import type { WorkspaceManager } from "../../src/workspace/workspace.js";

/** A tool that does nothing, called without sandbox and network, in three ways. */
export interface ChainUnderTest {
  /** The handler alone. */
  bare(): Promise<void>;
  /** The whole chain, which keeps calls in memory only. */
  chain(): Promise<void>;
  /** The whole chain with the journal on disk, as the service has it. */
  journaled(): Promise<void>;
  close(): Promise<void>;
}

const nothing = defineTool({
  name: "nothing",
  description: "does nothing",
  input: z.object({}),
  effect: "none",
  run: () => Promise.resolve(textResult("nothing")),
});

/** Makes it, with a state directory of its own. */
export async function chainUnderTest(): Promise<ChainUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "handrail-bench-"));
  const checkScript = fileURLToPath(new URL("../../dist/state-check.js", import.meta.url));
  const store = await openEmbeddedStore({ directory: join(directory, "state"), checkScript });
  const inMemory = newChain();
  const onDisk = newChain(store);
  return {
    bare: () => callHandler(inMemory),
    chain: () => callChain(inMemory),
    journaled: () => callChain(onDisk),
    async close() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function newChain(store?: Awaited<ReturnType<typeof openEmbeddedStore>>) {
  const masker = createMasker([]);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return composeChain({
    tools: new ToolRegistry([nothing]),
    policy: DEFAULT_POLICY,
    slots: new Slots(),
    conditions: { environment: new Set(), mcpEnabled: false, connectorsAllowed: false },
    workspaces: { peek: () => undefined } as unknown as WorkspaceManager,
    log: silent,
    maskers: { of: () => masker },
    recovery: { policy: DEFAULT_RECOVERY, memory: recoveryMemory() },
    keepWhole: () => Promise.resolve(undefined),
    readiness: { require: () => Promise.resolve() },
    ...(store === undefined
      ? {}
      : { archive: () => storedArchive({ store, keptMs: DEFAULT_POLICY.keptMs }) }),
  });
}

async function callChain({ local }: ReturnType<typeof newChain>): Promise<void> {
  const id = randomUUID();
  const events = local.execute(
    { context: { projectId: "p", sessionId: "s", turnId: id }, tool: "nothing", callId: id },
    {
      signal: new AbortController().signal,
      prepare: (values) => values.set(kPrincipal, { tenant: "t", rights: new Set(["execute"] as const) }),
    },
  );
  await readToResult(events);
}

async function callHandler({ execute }: ReturnType<typeof newChain>): Promise<void> {
  const run = new Run();
  const limits = { ...LIMITS };
  const call = new Call({ ...FACTS, id: randomUUID(), limits }, { run, resultOfLeaving });
  const values = createContextValues();
  values.set(kCall, call);
  const prepared = nothing.prepare({});
  if ("issues" in prepared) throw new Error("the arguments do not fit");
  values.set(kAdmitted, { mode: "build", limits, tool: nothing, prepared });
  await readToResult(execute(create(ExecuteToolRequestSchema), { signal: run.signal, values }));
}

const LIMITS = {
  ...{ queueMs: 1000, runMs: 0, workMs: 0, deadlineMs: 0, idleMs: 0, maxTextBytes: 32_768 },
  keep: undefined,
};

const FACTS: Omit<CallFacts, "id" | "limits"> = {
  key: { tenant: "t", project: "p" },
  ...{ fingerprint: "", tool: "nothing", toolCallId: "", sessionId: "s", userId: "", turnId: "" },
  ...{ mode: "build", createdAtMs: 0, sourceId: "", onDisconnect: "cancel", detachedMs: 0 },
};

async function readToResult(
  events: AsyncIterable<{ event?: { event: { case: string | undefined } } | undefined }>,
): Promise<void> {
  let last: string | undefined;
  for await (const { event } of events) last = event?.event.case;
  if (last !== "result") throw new Error(`the last event was ${last ?? "none"}`);
}
