import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { Dedup } from "../../gen/handrail/v1/tool_service_pb.js";
import { AbortReason } from "../../src/calls/abort-reason.js";
import type { Effect } from "../../src/domain/effect.js";
import type { ExitReport, ToolResult } from "../../src/domain/tool-result.js";
import { failed, textResult, toolError } from "../../src/domain/tool-result.js";
import { defineTool } from "../../src/tools/define.js";
import type { AnyTool } from "../../src/tools/define.js";
import { chainForTest } from "./chain-fixture.js";
import type { ChainCall, ChainRequest } from "./chain-fixture.js";

interface Gate {
  open(): void;
}

/** Tools whose runs are counted: each result has the number of the run. */
function countedTools(options: { dedup?: "turn" | "inflight"; make?: (run: number) => ToolResult } = {}) {
  const runs: string[] = [];
  const gates: Gate[] = [];
  const make = options.make ?? ((run: number) => textResult(`run ${run}`));
  const counted = (name: string, effect: Effect | ((input: { method?: string }) => Effect)): AnyTool =>
    defineTool({
      name,
      description: name,
      input: z.looseObject({ method: z.string().optional(), hold: z.boolean().optional() }),
      effect: effect as Effect,
      ...(options.dedup === undefined ? {} : { dedup: options.dedup }),
      async run(input, context) {
        runs.push(name);
        const run = runs.length;
        void context.output("stdout", Buffer.from(`begin ${run}\n`));
        if (input.hold === true) {
          await new Promise<void>((resolve) => {
            gates.push({ open: resolve });
            context.signal.addEventListener("abort", () => resolve());
          });
          void context.output("stdout", Buffer.from(`go on ${run}\n`));
        }
        return make(run);
      },
    });
  const tools = [
    counted("read", "read"),
    counted("edit", "write"),
    counted("bash", "execute"),
    counted("todo", "session"),
    counted("http", ({ method }) => (method === "POST" ? "external" : "read")),
  ];
  return { tools, runs, gates };
}

async function admissionOf(call: ChainCall): Promise<[Admission, string]> {
  const first = (await call.events)[0]?.event;
  if (first?.case !== "accepted") throw new Error("no accepted event");
  return [first.value.admission, first.value.sourceCallId];
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !isSo(); i += 1) await sleep(5);
  expect(isSo()).toBe(true);
}

/** Runs a sequence and tells, for each call, the run that it got its text from. */
async function sequence(
  calls: readonly [tool: string, args?: Record<string, unknown>, request?: ChainRequest][],
  options: Parameters<typeof countedTools>[0] & { leftRuns?: () => number } = {},
): Promise<string[]> {
  const chain = chainForTest({ ...countedTools(options), ...options });
  const texts: string[] = [];
  for (const [tool, args, request] of calls) {
    const { content } = await chain.call(tool, args, request).result;
    texts.push(content.map(({ part }) => (part.case === "text" ? part.value.text : "")).join(" "));
  }
  expect(chain.bugs).toEqual([]);
  return texts;
}

describe("equal calls of one turn", () => {
  it("run once, and the twin is told which call it is the same as", async () => {
    const { tools, runs } = countedTools();
    const chain = chainForTest({ tools });
    const first = chain.call("bash", { method: "a" });
    await first.result;
    const twin = chain.call("bash", { method: "a" });
    expect(await twin.result).toMatchObject({ outcome: Outcome.OK, deduplicated: true });
    expect((await twin.result).notices.join()).toContain(`same call as ${first.callId}`);
    expect((await first.result).deduplicated).toBe(false);
    expect(await admissionOf(twin)).toEqual([Admission.DEDUPLICATED, first.callId]);
    expect(runs).toEqual(["bash"]);
  });

  it("are equal whatever the order of keys, the spelling of numbers and the escapes of text", async () => {
    const { tools, runs } = countedTools();
    const chain = chainForTest({ tools });
    await chain.call("read", '{"a":1.0,"b":"\\u00e9","c":[1,2]}').result;
    await chain.call("read", '{ "c": [1, 2], "b": "é", "a": 10e-1 }').result;
    expect(runs).toHaveLength(1);
    await chain.call("read", '{"a":1,"b":"é","c":[2,1]}').result;
    await chain.call("read", '{"a":9007199254740992,"b":"é","c":[1,2]}').result;
    await chain.call("read", '{"a":9007199254740993,"b":"é","c":[1,2]}').result;
    expect(runs).toHaveLength(4);
  });

  it.each([
    ["another turn", { context: { turnId: "t2" } }],
    ["another session", { context: { sessionId: "s2" } }],
    ["another user", { context: { userId: "u2" } }],
    ["no turn", { context: { turnId: "" } }],
    ["no session", { context: { sessionId: "" } }],
    ["another project", { context: { projectId: "p2" } }],
    ["plan mode", { context: { mode: Mode.PLAN } }],
    ["another cap", { limits: { $typeName: "handrail.v1.CallLimits", maxTextBytes: 100n } as never }],
    ["a request that opts out", { dedup: Dedup.OFF }],
  ] satisfies [string, ChainRequest][])("are not those of %s", async (_what, request) => {
    expect(
      await sequence([
        ["read", {}],
        ["read", {}, request],
      ]),
    ).toEqual(["run 1", "run 2"]);
  });

  it("get a result from after every change by another call", async () => {
    const get = { method: "GET" };
    expect(await sequence([["read"], ["edit"], ["read"]])).toEqual(["run 1", "run 2", "run 3"]);
    expect(await sequence([["read"], ["bash"], ["read"]])).toEqual(["run 1", "run 2", "run 3"]);
    expect(
      await sequence([
        ["todo", { a: 1 }],
        ["todo", { a: 2 }],
        ["todo", { a: 1 }],
      ]),
    ).toEqual(["run 1", "run 2", "run 3"]);
    expect(
      await sequence([
        ["http", get],
        ["http", { method: "POST" }],
        ["http", get],
      ]),
    ).toEqual(["run 1", "run 2", "run 3"]);
    expect(await sequence([["read"], ["edit", {}, { context: { sessionId: "other" } }], ["read"]])).toEqual([
      "run 1",
      "run 2",
      "run 3",
    ]);
    expect(await sequence([["read"], ["http", get], ["read"]])).toEqual(["run 1", "run 2", "run 1"]);
  });

  it("that wrote and were stopped by a clock moved the epoch, and run again themselves", async () => {
    const { tools, runs } = countedTools();
    const chain = chainForTest({ tools });
    await chain.call("read").result;
    const limits = { limits: { runMs: 20 } } as unknown as ChainRequest;
    expect((await chain.call("edit", { hold: true }, limits).result).outcome).toBe(Outcome.TIMED_OUT);
    await chain.call("read").result;
    expect((await chain.call("edit", { hold: true }, limits).result).deduplicated).toBe(false);
    expect(runs).toEqual(["read", "edit", "read", "edit"]);
  });

  it("that read while another call was writing are not shared once they have ended", async () => {
    const { tools, runs, gates } = countedTools();
    const chain = chainForTest({ tools });
    const writing = chain.call("edit", { hold: true });
    await until(() => gates.length === 1);
    await chain.call("read").result;
    await chain.call("read").result;
    expect(runs).toEqual(["edit", "read", "read"]);
    gates[0]?.open();
    await writing.result;
    await chain.call("read").result;
    expect(runs).toHaveLength(4);
  });

  it("share only what is under way while processes live that a call has left", async () => {
    let left = 0;
    const exit: ExitReport = {
      code: 0,
      oom: false,
      processesKilled: 0,
      processesLeft: 1,
      supervision: "full",
    };
    const make = (run: number) => ({ ...textResult(`run ${run}`), exit });
    const { tools, runs } = countedTools({ make });
    const chain = chainForTest({ tools, leftRuns: () => left });
    left = 1;
    await chain.call("bash").result;
    await chain.call("read").result;
    await chain.call("read").result;
    expect(runs).toEqual(["bash", "read", "read"]);
    left = 0;
    await chain.call("read").result;
    expect(runs).toHaveLength(4);
    await chain.call("read").result;
    expect(runs).toHaveLength(4);
  });

  it.each([
    ["an error that may pass", toolError({ code: "x.busy", message: "busy", retryable: true }), false],
    ["a fault of the service", failed("failed", { code: "x", fixBy: "operator", message: "m" }), false],
    ["a lost sandbox", failed("sandbox_lost", { code: "x", fixBy: "model", message: "m" }), false],
    ["an error of the arguments", toolError({ code: "read.not_found", message: "no such file" }), true],
  ] as const)("remember %s or not", async (_what, result, isRemembered) => {
    const { tools, runs } = countedTools({ make: () => result });
    const chain = chainForTest({ tools });
    await chain.call("read").result;
    await chain.call("read").result;
    expect(runs).toHaveLength(isRemembered ? 1 : 2);
  });

  it("of a tool that shares only what is under way share nothing that has ended", async () => {
    expect(await sequence([["read"], ["read"]], { dedup: "inflight" })).toEqual(["run 1", "run 2"]);
  });

  it("that come at once share one run, whose events all of them get", async () => {
    const { tools, runs, gates } = countedTools();
    const chain = chainForTest({ tools });
    const calls = Array.from({ length: 5 }, () => chain.call("bash", { hold: true }));
    await until(() => gates.length === 1);
    gates[0]?.open();
    const streams = await Promise.all(calls.map(({ events }) => events));
    expect(runs).toEqual(["bash"]);
    const shown = streams.map((events) =>
      events.map(({ seq, event }) =>
        event.case === "output" ? `${seq} ${Buffer.from(event.value.data).toString().trim()}` : event.case,
      ),
    );
    const all = ["accepted", "started", "2 begin 1", "3 go on 1", "result"];
    for (const events of shown) expect(events).toEqual(all);
    const admissions = await Promise.all(calls.map(admissionOf));
    expect(admissions.filter(([admission]) => admission === Admission.NEW)).toHaveLength(1);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(5);
  });

  it("go on when the reader of one of them leaves, and end with the last", async () => {
    const { tools, runs, gates } = countedTools();
    const chain = chainForTest({ tools });
    const leaving = new AbortController();
    const first = chain.call("bash", { hold: true }, { signal: leaving.signal });
    await until(() => gates.length === 1);
    const second = chain.call("bash", { hold: true });
    const found = () => chain.registry.peek({ tenant: "t", project: "p" }, second.callId);
    await until(() => found().kind === "call");
    leaving.abort();
    await expect(first.result).rejects.toThrow();
    gates[0]?.open();
    expect(await second.result).toMatchObject({ outcome: Outcome.OK, deduplicated: true });
    expect(runs).toHaveLength(1);

    const third = chain.call("bash", { hold: true, n: 2 });
    await until(() => gates.length === 2);
    const fourth = chain.call("bash", { hold: true, n: 2 });
    const calls = () =>
      [third, fourth].flatMap(({ callId }) => {
        const { kind, ...rest } = chain.registry.peek({ tenant: "t", project: "p" }, callId);
        return kind === "call" && "call" in rest ? [rest.call] : [];
      });
    await until(() => calls().length === 2);
    for (const call of calls()) call.abort(new AbortReason("cancel_call"));
    expect((await third.result).outcome).toBe(Outcome.CANCELED);
    expect((await fourth.result).outcome).toBe(Outcome.CANCELED);
  });

  it("of a closed turn are canceled without being started", async () => {
    const { tools, runs } = countedTools();
    const chain = chainForTest({ tools });
    await chain.call("read").result;
    chain.windows.close({ tenant: "t", project: "p" }, "");
    expect(await chain.call("read").result).toMatchObject({
      outcome: Outcome.CANCELED,
      error: { code: "turn.aborted" },
      abort: { source: 5 },
    });
    expect((await chain.call("read", {}, { context: { turnId: "next" } }).result).outcome).toBe(Outcome.OK);
    expect(runs).toHaveLength(2);
  });
});
