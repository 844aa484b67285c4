import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { AbortSource, Outcome, ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import { CallState, CancelOutcome, OnDisconnect } from "../../gen/handrail/v1/tool_service_pb.js";
import { collectEvents, reasonOf } from "../support/rpc-answers.js";
import { SANDBOX_KINDS, outcomeOf, serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

const TICKS = "for i in 1 2 3 4 5 6 7 8; do echo tick $i; sleep 0.1; done";

const outputOf = (events: readonly CallEvent[]): string =>
  events
    .map(({ event }) => (event.case === "output" ? Buffer.from(event.value.data).toString() : ""))
    .join("");

const seqsOf = (events: readonly CallEvent[]): number[] =>
  events.map(({ seq }) => seq).filter((seq) => seq > 0);

function execute(service: TestService, command: string, request: object, signal?: AbortSignal) {
  const { project } = service;
  return service.tools.executeTool(
    {
      context: { projectId: project },
      tool: "bash",
      input: { case: "arguments", value: { command } },
      ...request,
    },
    signal === undefined ? {} : { signal },
  );
}

/** Reads until an output has come, then cuts the stream. */
async function readAndCut(
  service: TestService,
  request: { callId: string },
  command = TICKS,
): Promise<number> {
  const cut = new AbortController();
  let lastSeq = 0;
  try {
    for await (const { event } of execute(service, command, request, cut.signal)) {
      lastSeq = event?.seq ?? lastSeq;
      if (event?.event.case === "output") cut.abort();
    }
  } catch {
    return lastSeq;
  }
  throw new Error("the stream was not cut");
}

for (const kind of SANDBOX_KINDS) {
  describe(`AttachCall on ${kind}`, () => {
    it("gives a loop whose stream was cut the rest of its call, and nothing twice", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      const callId = randomUUID();
      const lastSeq = await readAndCut(service, { callId, onDisconnect: OnDisconnect.DETACH } as never);
      const { project: projectId } = service;
      const rest = await collectEvents(service.tools.attachCall({ projectId, callId, afterSeq: lastSeq }));
      expect(rest[0]?.event).toMatchObject({
        case: "accepted",
        value: { admission: Admission.JOINED, callId },
      });
      const whole = await collectEvents(service.tools.attachCall({ projectId, callId }));
      expect(whole[0]?.event).toMatchObject({ case: "accepted", value: { admission: Admission.REPLAYED } });
      expect(outputOf(whole)).toBe(Array.from({ length: 8 }, (_, i) => `tick ${i + 1}\n`).join(""));
      expect(seqsOf(whole)).toEqual(seqsOf(whole).map((_, i) => i + 1));
      expect(seqsOf(rest)).toEqual(seqsOf(whole).slice(lastSeq));
      expect(outcomeOf(rest, 0).result).toEqual(outcomeOf(whole, 0).result);
      expect(outcomeOf(rest, 0).result.outcome).toBe(Outcome.OK);
    });

    it("is one reader more: several see the same, and the call ends with the last that leaves", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      const callId = randomUUID();
      const { project: projectId } = service;
      const first = new AbortController();
      const firstEvents = collectEvents(execute(service, TICKS, { callId }, first.signal)).catch(() => []);
      await expect
        .poll(() => reasonOf(service.tools.getCall({ projectId, callId })).catch(() => "there"))
        .toBe("there");
      const second = collectEvents(service.tools.attachCall({ projectId, callId }));
      await sleep(150);
      first.abort();
      await firstEvents;
      expect(outputOf(await second)).toContain("tick 8");

      const another = randomUUID();
      await readAndCut(service, { callId: another }, "echo begin; sleep 30");
      await expect
        .poll(async () => (await service.tools.getCall({ projectId, callId: another })).state, {
          timeout: 3000,
        })
        .toBe(CallState.ENDED);
      const { result } = await service.tools.getCall({ projectId, callId: another });
      expect(result?.outcome).toBe(Outcome.CANCELED);
      expect([AbortSource.CLIENT, AbortSource.DISCONNECT]).toContain(result?.abort?.source);
    });

    it("finds a detached call until its time to live ends without a reader", async () => {
      const service = await serviceForTest(kind);
      const callId = randomUUID();
      const { project: projectId } = service;
      const request = { callId, onDisconnect: OnDisconnect.DETACH, ttlMs: 600 };
      await readAndCut(service, request, "echo begin; sleep 30");
      await sleep(300);
      expect((await service.tools.getCall({ projectId, callId })).state).toBe(CallState.RUNNING);
      await expect
        .poll(async () => (await service.tools.getCall({ projectId, callId })).state, { timeout: 3000 })
        .toBe(CallState.ENDED);
      expect((await service.bash("pgrep -c -u $(id -u) -x sleep")).stdout.toString()).toBe("0\n");
    });

    it("of a twin works as of any call: it reads, asks for and cancels its own", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      const { project: projectId } = service;
      const context = { projectId, sessionId: "s", turnId: randomUUID() };
      const [a, b] = [randomUUID(), randomUUID()];
      const command = "echo begin; sleep 1; echo end";
      const first = collectEvents(execute(service, command, { context, callId: a }));
      await expect
        .poll(() => reasonOf(service.tools.getCall({ projectId, callId: a })).catch(() => "there"))
        .toBe("there");
      const twin = collectEvents(execute(service, command, { context, callId: b }));
      await expect
        .poll(() => reasonOf(service.tools.getCall({ projectId, callId: b })).catch(() => "there"))
        .toBe("there");
      const read = collectEvents(service.tools.attachCall({ projectId, callId: b }));
      const cancel = await service.tools.cancelCall({ projectId, callId: a, reason: "enough" });
      expect(cancel.outcome).toBe(CancelOutcome.CANCELED);
      expect(outcomeOf(await first, 0).result).toMatchObject({
        outcome: Outcome.CANCELED,
        abort: { source: AbortSource.CANCEL_CALL, reason: "enough" },
      });
      expect(outputOf(await twin)).toBe("begin\nend\n");
      expect(outputOf(await read)).toBe("begin\nend\n");
      const { result } = await service.tools.getCall({ projectId, callId: b });
      expect(result).toMatchObject({ outcome: Outcome.OK, deduplicated: true });
      expect(result).toEqual(create(ResultSchema, outcomeOf(await twin, 0).result));
    });

    it("refuses what there is not, in the same words for another tenant's call, and a negative seq", async () => {
      const service = await serviceForTest(kind);
      const callId = randomUUID();
      const { project: projectId } = service;
      await service.run("bash", { command: "true" }, { request: { callId } });
      const attach = (request: object) =>
        reasonOf(collectEvents(service.tools.attachCall({ projectId, callId, ...request })));
      expect(await attach({ callId: "other" })).toEqual(["NotFound", "NOT_FOUND"]);
      expect(await attach({ projectId: "other" })).toEqual(["NotFound", "NOT_FOUND"]);
      expect(await attach({ afterSeq: -1 })).toEqual(["InvalidArgument", "INVALID_REQUEST"]);
      expect(await attach({ callId: "" })).toEqual(["InvalidArgument", "INVALID_REQUEST"]);
      const beyond = await collectEvents(service.tools.attachCall({ projectId, callId, afterSeq: 1000 }));
      expect(beyond.map(({ event }) => event.case)).toEqual(["accepted", "result"]);
    });
  });
}
