import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import { ProgressSchema } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { Journal } from "../../src/calls/journal.js";
import type { Cursor, EventBody } from "../../src/calls/journal.js";
import { outputForTest, resultForTest } from "./call-fixture.js";

const LIVE_BYTES = 2000;
/** What an output event costs beside its bytes. */
const OVERHEAD_BYTES = 256;

/** What a reader has got of each seq: an event, or the gap that it was told of. */
class ReaderLog {
  readonly #cursor: Cursor;
  readonly #leave: () => void;
  readonly #journal: Journal;
  readonly afterSeq: number;
  readonly events = new Map<number, CallEvent>();
  readonly missed = new Set<number>();
  lastSeq: number;
  hasEnded = false;

  constructor(journal: Journal, afterSeq: number) {
    this.#journal = journal;
    this.afterSeq = Math.min(afterSeq, journal.lastSeq);
    this.lastSeq = this.afterSeq;
    const { cursor, leave } = journal.follow(afterSeq);
    this.#cursor = cursor;
    this.#leave = leave;
  }

  /** Takes what comes next. False if there is nothing. */
  take(): boolean {
    const next = this.#journal.take(this.#cursor);
    if (next.kind === "wait") expect(this.#journal.ended).toBe(false);
    if (next.kind === "end") this.hasEnded = true;
    if (next.kind === "event") {
      expect(next.event.seq).toBe(this.lastSeq + 1);
      this.lastSeq = next.event.seq;
      this.events.set(next.event.seq, next.event);
    }
    if (next.kind === "gap") {
      expect(next.fromSeq).toBe(this.lastSeq + 1);
      expect(next.toSeq).toBeGreaterThanOrEqual(next.fromSeq);
      for (let seq = next.fromSeq; seq <= next.toSeq; seq += 1) this.missed.add(seq);
      this.lastSeq = next.toSeq;
    }
    return next.kind === "event" || next.kind === "gap";
  }

  takeAll(): this {
    while (this.take());
    return this;
  }

  leave(): void {
    this.#leave();
  }
}

function costOf(events: Iterable<CallEvent>): number {
  let bytes = 0;
  for (const { event } of events)
    if (event.case === "output") bytes += event.value.data.byteLength + OVERHEAD_BYTES;
  return bytes;
}

type Step =
  | { readonly do: "output"; readonly bytes: number }
  | { readonly do: "progress" | "seed" }
  | { readonly do: "follow"; readonly afterSeq: number; readonly twin: boolean }
  | { readonly do: "take"; readonly reader: number; readonly times: number }
  | { readonly do: "leave"; readonly reader: number }
  | { readonly do: "look" }
  | { readonly do: "shrink"; readonly bytes: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("output" as const), bytes: fc.integer({ min: 0, max: 900 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "progress" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "seed" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("follow" as const), afterSeq: fc.nat(40), twin: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("take" as const),
      reader: fc.nat(9),
      times: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("leave" as const), reader: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.constant({ do: "look" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("shrink" as const), bytes: fc.nat(LIVE_BYTES) }) },
);

/** A journal and, from a seed on, that of a twin that hears the same; and all who read them. */
class Scene {
  readonly first = new Journal({ liveBytes: LIVE_BYTES, patienceMs: 0 });
  twin: Journal | undefined;
  readonly bodies: EventBody[] = [];
  readonly logs: ReaderLog[] = [];
  readonly #reading = new Map<ReaderLog, Journal>();
  restBytes = Number.POSITIVE_INFINITY;

  get journals(): Journal[] {
    return this.twin === undefined ? [this.first] : [this.first, this.twin];
  }

  append(body: EventBody): void {
    this.bodies.push(body);
    for (const journal of this.journals) void journal.append(body, 1);
  }

  follow(journal: Journal, afterSeq: number): ReaderLog {
    const log = new ReaderLog(journal, afterSeq);
    this.logs.push(log);
    this.#reading.set(log, journal);
    return log;
  }

  leave(log: ReaderLog): void {
    log.leave();
    this.#reading.delete(log);
  }

  /** Reads a journal from the start, as one who comes late, and checks what is held. */
  look(journal: Journal): void {
    const all = this.follow(journal, 0).takeAll();
    const held = [...all.events.values()];
    expect(costOf(held)).toBeLessThanOrEqual(LIVE_BYTES);
    for (const seq of all.missed) expect(this.bodies[seq - 1]?.case).toBe("output");
    const newestMissed = Math.max(0, ...all.missed);
    for (const { seq, event } of held) if (event.case === "output") expect(seq).toBeGreaterThan(newestMissed);
    const dropped = this.bodies[newestMissed - 1];
    if (dropped?.case === "output" && this.restBytes === Number.POSITIVE_INFINITY)
      expect(costOf(held) + dropped.value.data.byteLength + OVERHEAD_BYTES).toBeGreaterThan(LIVE_BYTES);
    this.leave(all);
    if ([...this.#reading.values()].includes(journal)) return;
    const rest = this.follow(journal, 0).takeAll();
    expect(costOf(rest.events.values())).toBeLessThanOrEqual(this.restBytes);
    this.leave(rest);
  }

  perform(step: Step): void {
    const log = "reader" in step ? this.logs[step.reader % Math.max(1, this.logs.length)] : undefined;
    if (step.do === "output") this.append(outputForTest("x".repeat(step.bytes)));
    if (step.do === "progress")
      this.append({ case: "progress", value: create(ProgressSchema, { message: `${this.bodies.length}` }) });
    if (step.do === "seed" && this.twin === undefined) {
      this.twin = new Journal({ liveBytes: LIVE_BYTES, patienceMs: 0 });
      this.twin.seed(this.first);
      this.twin.shrink(this.restBytes);
    }
    if (step.do === "follow") this.follow((step.twin ? this.twin : undefined) ?? this.first, step.afterSeq);
    if (step.do === "take" && log !== undefined && this.#reading.has(log))
      for (let i = 0; i < step.times; i += 1) log.take();
    if (step.do === "leave" && log !== undefined) this.leave(log);
    if (step.do === "look") for (const journal of this.journals) this.look(journal);
    if (step.do === "shrink") {
      this.restBytes = step.bytes;
      for (const journal of this.journals) journal.shrink(step.bytes);
    }
  }

  /** Ends the call and lets those who still read read to the end. */
  end(): ReaderLog[] {
    this.append({ case: "result", value: resultForTest("done") });
    return [...this.#reading.keys()].map((log) => log.takeAll());
  }
}

function eachScene(check: (scene: Scene, ended: ReaderLog[]) => void): void {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
      const scene = new Scene();
      for (const step of steps) scene.perform(step);
      check(scene, scene.end());
    }),
    { numRuns: 400 },
  );
}

describe("a journal, whoever reads it at whatever pace", () => {
  it("gives each reader every seq from where it began, once, as an event or inside one gap", () => {
    eachScene((scene, ended) => {
      for (const log of ended) expect(log.lastSeq).toBe(scene.bodies.length);
      for (const { events, missed, afterSeq, lastSeq } of scene.logs) {
        expect([...events.keys(), ...missed].sort((a, b) => a - b)).toEqual(
          Array.from({ length: lastSeq - afterSeq }, (_, index) => afterSeq + 1 + index),
        );
      }
    });
  });

  it("gives all readers the same event at the same seq, also those of a twin", () => {
    eachScene((scene) => {
      for (const { events } of scene.logs)
        for (const [seq, { event }] of events) expect(event.value).toBe(scene.bodies[seq - 1]?.value);
    });
  });

  it("misses only output, and keeps the newest output up to its limit", () => {
    eachScene((scene) => {
      for (const { missed } of scene.logs)
        for (const seq of missed) expect(scene.bodies[seq - 1]?.case).toBe("output");
      for (const journal of scene.journals) scene.look(journal);
    });
  });

  it("ends with one result, which every reader that stays gets last", () => {
    eachScene((scene, ended) => {
      const resultSeq = scene.bodies.length;
      for (const log of ended) {
        expect(log.hasEnded).toBe(true);
        const results = [...log.events.values()].filter(({ event }) => event.case === "result");
        expect(results.map(({ seq }) => seq)).toEqual(log.afterSeq < resultSeq ? [resultSeq] : []);
      }
      for (const journal of scene.journals)
        expect(() => journal.append(outputForTest("late"), 1)).toThrow(/has ended/);
    });
  });
});

describe("readers that all keep up", () => {
  it("miss nothing of a writer that waits when it is asked to, in any schedule", async () => {
    const anySizes = fc.array(fc.integer({ min: 0, max: LIVE_BYTES / 2 - OVERHEAD_BYTES }), {
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        anySizes,
        fc.integer({ min: 1, max: 3 }),
        async (s, sizes, readers) => {
          const journal = new Journal({ liveBytes: LIVE_BYTES, patienceMs: 10_000 });
          const pause = (who: string) => s.schedule(Promise.resolve(), who);
          const write = async () => {
            for (const size of sizes) {
              await pause("writer");
              await journal.append(outputForTest("x".repeat(size)), 1);
            }
            void journal.append({ case: "result", value: resultForTest("done") }, 1);
          };
          const read = async (log: ReaderLog) => {
            while (!log.hasEnded) {
              await pause("reader");
              const changed = journal.changed();
              if (!log.take() && !journal.ended) await changed;
            }
          };
          const logs = Array.from({ length: readers }, () => new ReaderLog(journal, 0));
          await s.waitFor(Promise.all([write(), ...logs.map(read)]));
          for (const { events, missed } of logs) {
            expect(missed.size).toBe(0);
            expect(events.size).toBe(sizes.length + 1);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
