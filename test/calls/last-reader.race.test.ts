import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { AbortReason } from "../../src/calls/abort-reason.js";
import { acceptedEvent } from "../../src/calls/accepted.js";
import type { Call, OnDisconnect } from "../../src/calls/call.js";
import { readCall } from "../../src/calls/reader.js";
import { Run } from "../../src/calls/run.js";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { textResult } from "../../src/domain/tool-result.js";
import { defineTool } from "../../src/tools/define.js";
import { chainForTest } from "../interceptors/chain-fixture.js";
import { callForTest, outputForTest } from "./call-fixture.js";
import { scheduledArchive } from "./scheduled-archive.js";

const KEY = { tenant: "t", project: "p" };
const DETACHED_MS = 1000;
const RUNS = { numRuns: 50, timeout: 5000 };

/** A call of the run as the test knows it: who reads it, and since when nobody does. */
interface Member {
  readonly call: Call;
  readonly onDisconnect: OnDisconnect;
  readers: number;
  leftAtMs: number | undefined;
  isGone: boolean;
}

/** A run, its calls and their readers, with what has to be true of them at every moment. */
class Scene {
  readonly run = new Run();
  readonly members: Member[] = [];
  #nowMs = 0;
  #outputs = 0;

  /** A twin joins with its first reader, unless the run has been stopped. */
  join(onDisconnect: OnDisconnect): Member | undefined {
    if (this.run.ending !== undefined) return undefined;
    const call = callForTest(
      { id: `c${this.members.length}`, onDisconnect, detachedMs: DETACHED_MS },
      { run: this.run },
    );
    const member: Member = { call, onDisconnect, readers: 0, leftAtMs: undefined, isGone: false };
    this.members.push(member);
    return member;
  }

  /** A reader comes. The function that is returned lets it leave. */
  read(member: Member): () => Promise<void> {
    const leaving = new AbortController();
    const { call } = member;
    const events = readCall({
      call,
      accepted: acceptedEvent(call, Admission.NEW),
      afterSeq: 0,
      signal: leaving.signal,
      heartbeatMs: 100 * DETACHED_MS,
    });
    const reading = (async () => {
      for await (const { event } of events) if (event.case === "result") return "result";
      return "end";
    })().catch((error: unknown) => error);
    member.readers += 1;
    member.leftAtMs = undefined;
    return async () => {
      const reason = new AbortReason("disconnect", call.id);
      leaving.abort(reason);
      member.readers -= 1;
      if (member.readers === 0) {
        if (member.onDisconnect === "cancel") member.isGone = true;
        else member.leftAtMs ??= this.#nowMs;
      }
      expect(await reading).toBe(reason);
    };
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    vi.advanceTimersByTime(ms);
    for (const member of this.members)
      if (member.leftAtMs !== undefined && this.#nowMs - member.leftAtMs >= DETACHED_MS) member.isGone = true;
  }

  /** The run stops exactly when all its calls are gone; until then those that are not hear it undisturbed. */
  check(): void {
    const staying = this.members.filter(({ isGone }) => !isGone);
    const isStopped = this.members.length > 0 && staying.length === 0;
    expect(this.run.signal.aborted).toBe(isStopped);
    if (isStopped || this.members.length === 0) return;
    void this.run.tell(outputForTest("more"));
    this.#outputs += 1;
    for (const { call } of staying) {
      expect(call.stoppedBy).toBeUndefined();
      expect(call.result).toBeUndefined();
      expect(call.journal.lastSeq).toBe(this.#outputs);
    }
    for (const { call, isGone } of this.members)
      if (isGone) expect(call.result?.outcome).toBe(Outcome.CANCELED);
  }
}

/** What a reader does: to which call it comes, or that it brings a twin of its own. */
interface Visit {
  readonly twin: OnDisconnect | undefined;
  readonly of: number;
}

const anyVisit: fc.Arbitrary<Visit> = fc.record({
  twin: fc.constantFrom<OnDisconnect | undefined>("cancel", "detach", undefined),
  of: fc.nat(9),
});

describe("the readers of a run", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("stop it when the last one leaves that any of its calls has, or its time without one is over", async () => {
    const anyVisits = fc.array(anyVisit, { minLength: 1, maxLength: 7 });
    const anyTimes = fc.array(fc.constantFrom(1, DETACHED_MS / 2, DETACHED_MS - 1, DETACHED_MS), {
      maxLength: 6,
    });
    let scene = new Scene();
    const act = async (step: () => Promise<void>) => {
      await step();
      await nextTurn();
      scene.check();
    };
    await fc.assert(
      fc.asyncProperty(fc.scheduler({ act }), anyVisits, anyTimes, async (s, visits, times) => {
        scene = new Scene();
        const visiting = visits.map(async ({ twin, of }, index) => {
          await s.schedule(Promise.resolve(), `reader ${index} comes`);
          const known = scene.members.filter(({ isGone }) => !isGone);
          const member = twin === undefined ? known[of % Math.max(1, known.length)] : scene.join(twin);
          if (member === undefined) return;
          const leave = scene.read(member);
          await s.schedule(Promise.resolve(), `reader ${index} leaves`);
          await leave();
        });
        const passing = async () => {
          for (const ms of times) {
            await s.schedule(Promise.resolve(), `${ms} ms pass`);
            scene.pass(ms);
          }
        };
        await s.waitFor(Promise.all([...visiting, passing()]));
        scene.pass(DETACHED_MS);
        await nextTurn();
        scene.check();
      }),
      { numRuns: 150 },
    );
  });
});

/** A start of the tool, and whether its work was done. */
interface Start {
  readonly signal: AbortSignal;
  isDone: boolean;
}

describe("callers of equal calls", () => {
  /**
   * Callers who come when the scheduler lets them, and of whom some leave. Endless work ends only by an abort. The call
   * `unkept` cannot be written down.
   */
  async function race(
    s: fc.Scheduler,
    leavers: readonly boolean[],
    { isEndless = false, unkept = "" }: { isEndless?: boolean; unkept?: string } = {},
  ) {
    const starts: Start[] = [];
    const disturbed: string[] = [];
    const present = new Set(leavers.map((_, index) => `c${index}`));
    const archive = scheduledArchive(s);
    const chain = chainForTest({
      tools: [workTool({ s, starts, isEndless, onAbort: (signal) => disturbed.push(...readersOf(signal)) })],
      archive: {
        ...archive,
        async open(call) {
          const isOpen = await archive.open(call);
          if (call.id === unkept) throw new Error("the disk is full");
          return isOpen;
        },
      },
    });
    const readersOf = (signal: AbortSignal) =>
      chain.registry
        .all(KEY)
        .filter(({ run }) => run.signal === signal)
        .map(({ id }) => id)
        .filter((id) => present.has(id));
    const callers = leavers.map(async (isLeaving, index): Promise<Result | "left" | "refused"> => {
      const callId = `c${index}`;
      await s.schedule(Promise.resolve(), `${callId} comes`);
      const leaving = new AbortController();
      const { result } = chain.call("work", {}, { callId, signal: leaving.signal });
      if (!isLeaving) return result.catch(() => "refused" as const);
      await s.schedule(Promise.resolve(), `${callId} leaves`);
      present.delete(callId);
      leaving.abort();
      return result.catch(() => "left" as const);
    });
    const told = await s.waitFor(Promise.all(callers));
    await s.waitIdle();
    return { told, starts, disturbed, chain };
  }

  function workTool(options: {
    s: fc.Scheduler;
    starts: Start[];
    isEndless: boolean;
    onAbort: (signal: AbortSignal) => void;
  }) {
    const { s, starts, isEndless, onAbort } = options;
    return defineTool({
      name: "work",
      description: "works until it is done or stopped",
      input: z.looseObject({}),
      effect: "read",
      async run(_input, { signal }) {
        const start: Start = { signal, isDone: false };
        starts.push(start);
        const stopped = new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => {
            onAbort(signal);
            resolve();
          }),
        );
        const work = async () => {
          for (let step = 0; step < 3; step += 1) await s.schedule(Promise.resolve(), `work ${step}`);
        };
        await (isEndless ? stopped : Promise.race([work(), stopped]));
        if (signal.aborted) await s.schedule(Promise.resolve(), "wind up");
        signal.throwIfAborted();
        start.isDone = true;
        return textResult("done");
      },
    });
  }

  const anyLeavers = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });

  it("get the result of one run if they stay, whoever leaves", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyLeavers, async (s, leavers) => {
        const { told, starts, disturbed, chain } = await race(s, leavers);
        const stayed = told.filter((_, index) => leavers[index] === false);
        for (const result of stayed) expect(result).toMatchObject({ outcome: Outcome.OK });
        if (stayed.length > 0) expect(starts.filter(({ isDone }) => isDone)).toHaveLength(1);
        expect(disturbed).toEqual([]);
        expect(chain.bugs).toEqual([]);
      }),
      { ...RUNS, numRuns: 150 },
    );
  });

  it("leave no run at work when all of them have left, and stop none before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 5 }), async (s, count) => {
        const leavers = Array.from({ length: count }, () => true);
        const { starts, disturbed } = await race(s, leavers, { isEndless: true });
        for (const { signal } of starts) expect(signal.aborted).toBe(true);
        expect(disturbed).toEqual([]);
      }),
      RUNS,
    );
  });

  it("leave no run at work when the last leaves while another call is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (s) => {
        const { told, starts } = await race(s, [true, false], { isEndless: true, unkept: "c1" });
        expect(told).toEqual(["left", "refused"]);
        for (const { signal } of starts) expect(signal.aborted).toBe(true);
      }),
      RUNS,
    );
  });
});
