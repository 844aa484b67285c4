import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AbortSource, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { AbortReason, ClockFired } from "../../src/calls/abort-reason.js";
import { endedCall } from "../../src/calls/call.js";
import { Run } from "../../src/calls/run.js";
import { callForTest, factsForTest, outputForTest, resultForTest } from "./call-fixture.js";

const cancel = new AbortReason("cancel_call", "no longer needed");

describe("a call", () => {
  it("keeps an abort that was recorded before the work was done", () => {
    const call = callForTest();
    expect(call.abort(cancel)).toBe(true);
    expect(call.run.conclude()).toEqual({ by: "abort", reason: cancel });
  });

  it("keeps work that was done before an abort", () => {
    const call = callForTest();
    call.run.conclude();
    expect(call.abort(cancel)).toBe(false);
    expect(call.run.signal.aborted).toBe(false);
  });

  it("keeps the first of two aborts", () => {
    const call = callForTest();
    call.run.stop(new ClockFired("run", 10));
    expect(call.abort(cancel)).toBe(false);
    expect(call.run.signal.reason).toBeInstanceOf(ClockFired);
    expect(call.stoppedBy).toBeInstanceOf(ClockFired);
  });

  it("takes one result", async () => {
    const call = callForTest();
    const first = resultForTest("first");
    await Promise.all([call.settle(first), call.settle(resultForTest("second"))]);
    expect(await call.finished).toBe(first);
    expect(call.journal.lastSeq).toBe(1);
  });

  it("keeps its result before it tells anyone", async () => {
    const told: string[] = [];
    const call = callForTest(
      {},
      {
        keep: async () => {
          await sleep(20);
          told.push("kept");
        },
      },
    );
    void call.finished.then(() => told.push("told"));
    const settled = call.settle(resultForTest("done"));
    expect(call.abort(cancel)).toBe(false);
    await settled;
    await call.finished;
    expect(told).toEqual(["kept", "told"]);
  });

  it("ends when its last reader leaves, and not before", () => {
    const call = callForTest();
    const leaveFirst = call.addReader();
    const leaveSecond = call.addReader();
    leaveFirst(new AbortReason("disconnect"));
    expect(call.run.signal.aborted).toBe(false);
    leaveSecond(new AbortReason("client"));
    expect(call.run.signal.reason).toMatchObject({ source: "client" });
  });

  it("counts a reader that leaves twice once", () => {
    const call = callForTest();
    const leave = call.addReader();
    call.addReader();
    leave(cancel);
    leave(cancel);
    expect(call.run.signal.aborted).toBe(false);
  });

  it("lives on without readers under detach, for its time to live", async () => {
    const call = callForTest({ onDisconnect: "detach", detachedMs: 30 });
    call.addReader()(new AbortReason("disconnect"));
    expect(call.run.signal.aborted).toBe(false);
    await sleep(80);
    expect(call.run.signal.reason).toMatchObject({ source: "disconnect" });
  });

  it("stops the time to live when a reader comes back", async () => {
    const call = callForTest({ onDisconnect: "detach", detachedMs: 30 });
    call.addReader()(new AbortReason("disconnect"));
    call.addReader();
    await sleep(80);
    expect(call.run.signal.aborted).toBe(false);
  });

  it("of an earlier life of the service has its result at the seq that it had", () => {
    const result = resultForTest("kept");
    const call = endedCall(factsForTest(), { result, lastSeq: 7, generation: 3 });
    expect(call.result).toBe(result);
    const { cursor } = call.journal.follow(0);
    expect(call.journal.take(cursor)).toEqual({ kind: "gap", fromSeq: 1, toSeq: 6 });
    expect(call.journal.take(cursor)).toMatchObject({ kind: "event", event: { seq: 7, generation: 3 } });
  });
});

describe("twins", () => {
  const twins = () => {
    const run = new Run();
    const first = callForTest({ id: "a" }, { run });
    void run.tell(outputForTest("early"));
    const second = callForTest({ id: "b" }, { run });
    return { run, first, second };
  };

  it("both hear all events, also those from before the second came", () => {
    const { run, first, second } = twins();
    void run.tell(outputForTest("late"));
    for (const { journal } of [first, second]) {
      const { cursor } = journal.follow(0);
      const seen = [journal.take(cursor), journal.take(cursor)];
      expect(seen).toMatchObject([
        { kind: "event", event: { seq: 1 } },
        { kind: "event", event: { seq: 2 } },
      ]);
    }
  });

  it("do not disturb each other when one is canceled, first or second", async () => {
    for (const pick of ["first", "second"] as const) {
      const pair = twins();
      expect(pair[pick].abort(cancel)).toBe(true);
      await pair[pick].over;
      expect(pair[pick].result).toMatchObject({
        outcome: Outcome.CANCELED,
        abort: { source: AbortSource.CANCEL_CALL, reason: "no longer needed" },
      });
      expect(pair.run.signal.aborted).toBe(false);
      const other = pick === "first" ? pair.second : pair.first;
      expect(other.result).toBeUndefined();
      void pair.run.tell(outputForTest("more"));
      expect(other.journal.lastSeq).toBe(2);
      expect(pair[pick].journal.lastSeq).toBe(2);
      expect(pair[pick].journal.ended).toBe(true);
    }
  });

  it("end the run with the last of them", () => {
    const { run, first, second } = twins();
    first.abort(cancel);
    expect(second.abort(new AbortReason("client"))).toBe(true);
    expect(run.signal.reason).toMatchObject({ source: "client" });
    expect(second.result).toBeUndefined();
  });

  it("are stopped together by a clock", () => {
    const { run, first, second } = twins();
    run.stop(new ClockFired("run", 5));
    expect([first.stoppedBy, second.stoppedBy]).toEqual([expect.any(ClockFired), expect.any(ClockFired)]);
  });
});
