import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import { AbortReason, ClockFired } from "../../src/calls/abort-reason.js";
import { Run } from "../../src/calls/run.js";

const cancel = new AbortReason("cancel_call", "no longer needed");
const newRun = (onDisconnect: "cancel" | "detach" = "cancel", detachedMs = 60_000) =>
  new Run({ onDisconnect, detachedMs });
const result = () => ({ case: "result", value: create(ResultSchema) }) as const;

describe("Run", () => {
  it("keeps an abort that was recorded before the work was done", () => {
    const run = newRun();
    expect(run.abort(cancel)).toBe(true);
    expect(run.conclude()).toEqual({ by: "abort", reason: cancel });
  });

  it("keeps work that was done before an abort", () => {
    const run = newRun();
    run.conclude();
    expect(run.abort(cancel)).toBe(false);
    expect(run.signal.aborted).toBe(false);
  });

  it("keeps the first of two aborts", () => {
    const run = newRun();
    run.abort(new ClockFired("run", 10));
    run.abort(cancel);
    expect(run.signal.reason).toBeInstanceOf(ClockFired);
  });

  it("takes one result", async () => {
    const run = newRun();
    const first = result();
    void run.record(first);
    void run.record(result());
    expect(await run.finished).toBe(first.value);
    expect(run.journal.lastSeq).toBe(1);
  });

  it("ends when its last reader leaves, and not before", () => {
    const run = newRun();
    const leaveFirst = run.addReader();
    const leaveSecond = run.addReader();
    leaveFirst(new AbortReason("disconnect"));
    expect(run.signal.aborted).toBe(false);
    leaveSecond(new AbortReason("client"));
    expect(run.signal.reason).toMatchObject({ source: "client" });
  });

  it("counts a reader that leaves twice once", () => {
    const run = newRun();
    const leave = run.addReader();
    run.addReader();
    leave(cancel);
    leave(cancel);
    expect(run.signal.aborted).toBe(false);
  });

  it("lives on without readers under detach, for its time to live", async () => {
    const run = newRun("detach", 30);
    run.addReader()(new AbortReason("disconnect"));
    expect(run.signal.aborted).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(run.signal.reason).toMatchObject({ source: "disconnect" });
  });

  it("stops the time to live when a reader comes back", async () => {
    const run = newRun("detach", 30);
    run.addReader()(new AbortReason("disconnect"));
    run.addReader();
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(run.signal.aborted).toBe(false);
  });
});
