import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import { OutputSchema, OutputStream, ProgressSchema } from "../../gen/handrail/v1/events_pb.js";
import { ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import { Journal } from "../../src/calls/journal.js";
import type { EventBody, Next } from "../../src/calls/journal.js";

const output = (bytes: number): EventBody => ({
  case: "output",
  value: create(OutputSchema, { attempt: 1, stream: OutputStream.STDOUT, data: new Uint8Array(bytes) }),
});
const progress = (message: string): EventBody => ({
  case: "progress",
  value: create(ProgressSchema, { message }),
});
const result: EventBody = { case: "result", value: create(ResultSchema) };

function takeAll(journal: Journal, afterSeq = 0): Next[] {
  const { cursor, leave } = journal.follow(afterSeq);
  const taken: Next[] = [];
  for (;;) {
    const next = journal.take(cursor);
    if (next.kind === "wait" || next.kind === "end") break;
    taken.push(next);
  }
  leave();
  return taken;
}

describe("Journal", () => {
  it("numbers events from 1 without holes", () => {
    const journal = new Journal();
    for (const name of ["a", "b", "c"]) void journal.append(progress(name), 0);
    const seqs = takeAll(journal).map((next) => (next.kind === "event" ? next.event.seq : -1));
    expect(seqs).toEqual([1, 2, 3]);
  });

  it("refuses anything after the result", () => {
    const journal = new Journal();
    void journal.append(result, 0);
    expect(() => journal.append(progress("late"), 0)).toThrow(/has ended/);
  });

  it("gives a reader that comes late a gap for dropped output and keeps every other event", () => {
    const journal = new Journal({ liveBytes: 1000 });
    void journal.append(progress("first"), 0);
    for (let i = 0; i < 10; i += 1) void journal.append(output(400), 0);
    void journal.append(result, 0);
    const kinds = takeAll(journal).map((next) =>
      next.kind === "gap"
        ? `gap ${next.fromSeq}-${next.toSeq}`
        : next.kind === "event"
          ? next.event.event.case
          : "",
    );
    expect(kinds).toEqual(["progress", "gap 2-10", "output", "result"]);
  });

  it("replays from behind a seq", () => {
    const journal = new Journal();
    for (const name of ["a", "b", "c"]) void journal.append(progress(name), 0);
    expect(takeAll(journal, 2)).toHaveLength(1);
  });

  it("holds the writer back for a reader that keeps up, so that nothing is lost", async () => {
    const journal = new Journal({ liveBytes: 4000, patienceMs: 2000 });
    const { cursor } = journal.follow(0);
    const seen: number[] = [];
    const reading = (async () => {
      for (;;) {
        const next = journal.take(cursor);
        if (next.kind === "end") return;
        if (next.kind === "wait") await journal.changed();
        else if (next.kind === "event") seen.push(next.event.seq);
        else throw new Error(`gap ${next.fromSeq}-${next.toSeq}`);
        await Promise.resolve();
      }
    })();
    for (let i = 0; i < 200; i += 1) await journal.append(output(1000), 0);
    void journal.append(result, 0);
    await reading;
    expect(seen).toHaveLength(201);
  });

  it("lets go of output of an ended call only when its last reader has left", () => {
    const journal = new Journal();
    const { cursor, leave } = journal.follow(0);
    for (let i = 0; i < 10; i += 1) void journal.append(output(1000), 0);
    void journal.append(result, 0);
    journal.shrink(3000);
    const taken = Array.from({ length: 11 }, () => journal.take(cursor));
    expect(taken.every(({ kind }) => kind === "event")).toBe(true);
    leave();
    expect(takeAll(journal)[0]).toEqual({ kind: "gap", fromSeq: 1, toSeq: 8 });
  });

  it("does not wait for a stopped reader beyond its patience, and not a second time", async () => {
    const journal = new Journal({ liveBytes: 2000, patienceMs: 60 });
    journal.follow(0);
    const startedAt = performance.now();
    for (let i = 0; i < 50; i += 1) await journal.append(output(1000), 0);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("seq has no holes for any mix of readers and events: gaps and events together cover all", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 60 }),
        fc.nat(70),
        (sizes, after) => {
          const journal = new Journal({ liveBytes: 2000 });
          for (const size of sizes) void journal.append(size === 0 ? progress("p") : output(size), 0);
          void journal.append(result, 0);
          let expected = Math.min(after, journal.lastSeq - 1) + 1;
          for (const next of takeAll(journal, after)) {
            if (next.kind === "event") expect(next.event.seq).toBe(expected);
            if (next.kind === "gap") expect(next.fromSeq).toBe(expected);
            expected = (next.kind === "gap" ? next.toSeq : expected) + 1;
          }
          expect(expected).toBe(journal.lastSeq + 1);
        },
      ),
    );
  });
});
