import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AbortSource, Clock, Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { AbortReason, ClockFired } from "../../src/calls/abort-reason.js";
import type { Call } from "../../src/calls/call.js";
import { cancelCall } from "../../src/calls/cancel-call.js";
import type { Cancellation } from "../../src/calls/cancel-call.js";
import { textResult } from "../../src/domain/tool-result.js";
import { defineTool } from "../../src/tools/define.js";
import { chainForTest } from "../interceptors/chain-fixture.js";
import { scheduledArchive } from "./scheduled-archive.js";

/** What may end a call beside its work. */
type Stop = "cancel" | "clock" | "reader" | "shutdown";
type End = Stop | "work";

const KEY = { tenant: "t", project: "p" };
const anyStops = fc.shuffledSubarray<Stop>(["cancel", "clock", "reader", "shutdown"]);
/** Microtasks by which what the scheduler has let go comes later, so that it meets what follows from another step. */
const anyDelays = fc.array(fc.nat(70), { minLength: 4, maxLength: 4 });
const RUNS = { numRuns: 40, timeout: 5000 };

async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await Promise.resolve();
}

/** What ended the call, by what its result says. */
function endOf({ outcome, abort, exit }: Result): End {
  if (outcome === Outcome.OK) return "work";
  if (outcome === Outcome.TIMED_OUT && exit?.clock === Clock.RUN) return "clock";
  if (outcome === Outcome.INTERRUPTED && abort?.source === AbortSource.SHUTDOWN) return "shutdown";
  if (outcome === Outcome.CANCELED && abort?.source === AbortSource.CANCEL_CALL) return "cancel";
  if (outcome === Outcome.CANCELED && abort?.source === AbortSource.CLIENT) return "reader";
  throw new Error(`nothing in this race gives outcome ${outcome} by ${abort?.source}`);
}

/** The events of a call from its beginning. */
function eventsOf({ journal }: Call): string[] {
  const { cursor, leave } = journal.follow(0);
  const seen: string[] = [];
  for (
    let next = journal.take(cursor);
    next.kind !== "wait" && next.kind !== "end";
    next = journal.take(cursor)
  )
    seen.push(next.kind === "event" ? (next.event.event.case ?? "") : next.kind);
  leave();
  return seen;
}

/** A tool whose work ends, or winds up after an abort, when the scheduler lets it. */
function workFor(s: fc.Scheduler, onDone: () => void) {
  let tellStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    tellStarted = resolve;
  });
  const tool = defineTool({
    name: "work",
    description: "works until it is done or stopped",
    input: z.looseObject({}),
    effect: "execute",
    async run(_input, context) {
      const { signal } = context;
      tellStarted();
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      void context.output("stdout", Buffer.from("at work"));
      await Promise.race([s.schedule(Promise.resolve(), "work").then(onDone), stopped]);
      if (!signal.aborted) return textResult("done");
      await s.schedule(Promise.resolve(), "wind up");
      throw signal.reason;
    },
  });
  return { tool, started };
}

/** A call at work, with what stops it: each comes when the scheduler lets it. */
async function race(s: fc.Scheduler, stops: readonly Stop[], delays: readonly number[]) {
  const fired: End[] = [];
  const kept: Result[] = [];
  const { tool, started } = workFor(s, () => fired.push("work"));
  const archive = scheduledArchive(s);
  const chain = chainForTest({
    tools: [tool],
    archive: {
      ...archive,
      close(call, result) {
        kept.push(result);
        return archive.close(call, result);
      },
    },
  });
  const leaving = new AbortController();
  const { result: told } = chain.call("work", {}, { callId: "one", signal: leaving.signal });
  await s.waitFor(started);
  const [call] = chain.registry.all(KEY);
  if (call === undefined) throw new Error("the call is not known");
  let cancellation: Cancellation | undefined;
  let hadResultAtCancel = false;
  const acts: Record<Stop, () => unknown> = {
    async cancel() {
      hadResultAtCancel = call.result !== undefined;
      cancellation = await cancelCall(chain.registry, { key: KEY, callId: "one", said: "" });
    },
    clock: () => call.run.stop(new ClockFired("run", 10)),
    reader: () => leaving.abort(new AbortReason("client")),
    shutdown: () => call.run.stop(new AbortReason("shutdown")),
  };
  const stopping = stops.map(async (stop, index) => {
    await s.schedule(Promise.resolve(), stop);
    await microtasks(delays[index] ?? 0);
    fired.push(stop);
    await acts[stop]();
  });
  await s.waitFor(Promise.all([call.over, ...stopping]));
  const result = await call.finished;
  const toldResult = await told.catch(() => undefined);
  return {
    call,
    result,
    end: endOf(result),
    fired,
    kept,
    cancellation,
    hadResultAtCancel,
    toldResult,
    chain,
  };
}

/** Checks each race: with `isSettled`, all that follows from one step is done before the next. */
async function eachRace(
  check: (ended: Awaited<ReturnType<typeof race>>) => void,
  { isSettled = false } = {},
): Promise<void> {
  const act = async (step: () => Promise<void>) => {
    await step();
    if (isSettled) await nextTurn();
  };
  const anyRace = fc.asyncProperty(fc.scheduler({ act }), anyStops, anyDelays, async (s, stops, delays) => {
    check(await race(s, stops, isSettled ? [] : delays));
  });
  await fc.assert(anyRace, RUNS);
}

describe("a call that several things may end", () => {
  it("has one result, the last event of its journal, kept once", async () => {
    await eachRace(({ call, result, kept, chain }) => {
      const events = eventsOf(call);
      expect(events.filter((event) => event === "result")).toHaveLength(1);
      expect(events.at(-1)).toBe("result");
      expect(kept).toEqual([result]);
      expect(call.result).toBe(result);
      expect(chain.bugs).toEqual([]);
    });
  });

  it("ends by what came first", async () => {
    await eachRace(
      ({ end, fired }) => {
        expect(end).toBe(fired[0]);
      },
      { isSettled: true },
    );
  });

  it("ends by a stop that was first, however close the next one follows", async () => {
    await eachRace(({ end, fired }) => {
      const [first] = fired;
      if (first === "work" || first === "cancel") expect(fired).toContain(end);
      else expect(end).toBe(first);
    });
  });

  it("aborts its run if and only if its work did not come first", async () => {
    await eachRace(({ call, end }) => {
      expect(call.run.signal.aborted).toBe(end !== "work");
    });
  });

  it("gives the reader that stays what stands in the journal", async () => {
    await eachRace(({ toldResult, result, fired }) => {
      if (!fired.includes("reader")) expect(toldResult).toEqual(result);
    });
  });

  it("answers CancelCall with its result, and with whether that comes of a stop", async () => {
    await eachRace(
      ({ cancellation, result, end, hadResultAtCancel, fired }) => {
        if (!fired.includes("cancel")) return;
        const did = end === "work" || hadResultAtCancel ? "already-settled" : "canceled";
        expect(cancellation).toEqual({ did, result });
      },
      { isSettled: true },
    );
  });

  it("never answers that it was canceled where its work came first, in any schedule", async () => {
    await eachRace(({ cancellation, result, end, fired }) => {
      if (!fired.includes("cancel")) return;
      expect(cancellation).toMatchObject({ result });
      if (end === "work") expect(cancellation?.did).toBe("already-settled");
      if (end === "cancel") expect(cancellation?.did).toBe("canceled");
    });
  });
});

describe("CancelCall that races with the coming of its call", () => {
  /** Lets CancelCall come `delay` microtasks after the request. */
  async function comingAndCanceling(s: fc.Scheduler | undefined, delay: number) {
    const pause = async (what: string) => s?.schedule(Promise.resolve(), what);
    let starts = 0;
    const tool = defineTool({
      name: "work",
      description: "counts its starts",
      input: z.looseObject({}),
      effect: "execute",
      async run() {
        starts += 1;
        await pause("work");
        return textResult("done");
      },
    });
    const chain = chainForTest({
      tools: [tool],
      ...(s === undefined ? {} : { archive: scheduledArchive(s) }),
    });
    const coming = async () => {
      await pause("request");
      return chain.call("work", {}, { callId: "one" }).result.catch(() => undefined);
    };
    const canceling = async () => {
      await pause("cancel");
      await microtasks(delay);
      return cancelCall(chain.registry, { key: KEY, callId: "one", said: "" });
    };
    const both = Promise.all([coming(), canceling()]);
    const [told, { did, ...rest }] = await (s === undefined ? both : s.waitFor(both));
    if (did === "buried") expect([starts, told]).toEqual([0, undefined]);
    else expect(rest).toEqual({ result: told });
    expect(did === "canceled").toBe(told?.abort?.source === AbortSource.CANCEL_CALL);
    return did;
  }

  it("stops it, finds it ended, or keeps it from being started, in any schedule", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(60), async (s, delay) => {
        await comingAndCanceling(s, delay);
      }),
      { ...RUNS, numRuns: 100 },
    );
  });

  it("does so at every moment of its admission", async () => {
    const dids: string[] = [];
    for (let delay = 0; delay < 100; delay += 1) dids.push(await comingAndCanceling(undefined, delay));
    expect(new Set(dids)).toEqual(new Set(["buried", "canceled", "already-settled"]));
  });
});
