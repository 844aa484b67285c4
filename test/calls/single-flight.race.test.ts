import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { Effect } from "../../src/domain/effect.js";
import { textResult } from "../../src/domain/tool-result.js";
import { defineTool } from "../../src/tools/define.js";
import { chainForTest } from "../interceptors/chain-fixture.js";
import type { ChainRequest } from "../interceptors/chain-fixture.js";
import { scheduledArchive } from "./scheduled-archive.js";

/** A request of a race. */
interface Racer extends ChainRequest {
  readonly args: Record<string, unknown>;
}

type Answer = { readonly result: Result } | { readonly error: unknown };

/** Sends all requests, each when the scheduler lets it, over an archive and a tool that answer when it lets them. */
async function race(
  s: fc.Scheduler,
  racers: readonly Racer[],
  { effect = "execute", failures = 0 }: { effect?: Effect; failures?: number } = {},
) {
  const starts: unknown[] = [];
  const tool = defineTool({
    name: "count",
    description: "counts its starts",
    input: z.looseObject({}),
    effect,
    async run(input, context) {
      starts.push(input);
      const run = starts.length;
      await s.schedule(Promise.resolve(), `begin ${run}`);
      await context.output("stdout", Buffer.from(`output ${run}`));
      await s.schedule(Promise.resolve(), `end ${run}`);
      return textResult(`run ${run}`);
    },
  });
  const chain = chainForTest({ tools: [tool], archive: scheduledArchive(s, { failures }) });
  const answers = racers.map(async ({ args, ...request }, index): Promise<Answer> => {
    await s.schedule(Promise.resolve(), `request ${index}`);
    try {
      return { result: await chain.call("count", args, request).result };
    } catch (error) {
      return { error };
    }
  });
  return { answers: await s.waitFor(Promise.all(answers)), starts, chain };
}

function resultOf(answer: Answer): Result {
  if ("error" in answer) throw answer.error;
  return answer.result;
}

function textOf({ content }: Result): string {
  const part = content[0]?.part;
  return part?.case === "text" ? part.value.text : "";
}

const RUNS = { numRuns: 50, timeout: 5000 };

describe("requests that race", () => {
  it("with one call id start one run, and all get its result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (s, count) => {
        const racers = Array.from({ length: count }, () => ({ args: { a: 1 }, callId: "one" }));
        const { answers, starts, chain } = await race(s, racers);
        expect(starts).toHaveLength(1);
        const [first, ...others] = answers.map(resultOf);
        expect(first && textOf(first)).toBe("run 1");
        for (const other of others) expect(other).toEqual(first);
        expect(chain.bugs).toEqual([]);
      }),
      RUNS,
    );
  });

  it("with one call id are all answered where the call cannot be written down at first, and start one run", async () => {
    const anyCounts = fc.tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 5 }));
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyCounts, async (s, [count, failures]) => {
        const racers = Array.from({ length: count }, () => ({ args: {}, callId: "one" }));
        const { answers, starts } = await race(s, racers, { failures });
        const refused = answers.filter((answer) => "error" in answer);
        expect(refused).toHaveLength(Math.min(count, failures));
        expect(starts).toHaveLength(count > failures ? 1 : 0);
      }),
      RUNS,
    );
  });

  it("with one call id start one run without turn and session too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 5 }), async (s, count) => {
        const context = { turnId: "", sessionId: "" };
        const racers = Array.from({ length: count }, () => ({ args: {}, callId: "one", context }));
        const { answers, starts } = await race(s, racers);
        expect(starts).toHaveLength(1);
        expect(new Set(answers.map((answer) => textOf(resultOf(answer))))).toEqual(new Set(["run 1"]));
      }),
      RUNS,
    );
  });

  it("with one call id for different arguments run those of one, and refuse the others", async () => {
    const anyArguments = fc.array(fc.constantFrom(1, 2, 3), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyArguments, async (s, values) => {
        const racers = values.map((a) => ({ args: { a }, callId: "one" }));
        const { answers, starts } = await race(s, racers);
        expect(starts).toHaveLength(1);
        const [ran] = starts as { a: number }[];
        answers.forEach((answer, index) => {
          if (values[index] === ran?.a) expect(textOf(resultOf(answer))).toBe("run 1");
          else expect("error" in answer && answer.error).toMatchObject({ code: Code.AlreadyExists });
        });
        for (const answer of answers)
          if ("error" in answer) expect(answer.error).toBeInstanceOf(ConnectError);
      }),
      RUNS,
    );
  });

  it("and are equal calls of one turn start one run, whatever their ids", async () => {
    const anyIds = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 2, maxLength: 7 });
    const anyEffect = fc.constantFrom<Effect>("read", "write", "execute");
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyIds, anyEffect, async (s, ids, effect) => {
        const { answers, starts, chain } = await race(
          s,
          ids.map((callId) => ({ args: {}, callId })),
          { effect },
        );
        expect(starts).toHaveLength(1);
        const results = answers.map(resultOf);
        for (const result of results) expect(textOf(result)).toBe("run 1");
        const byId = new Map<string, Result | undefined>(ids.map((id, index) => [id, results[index]]));
        results.forEach((result, index) => expect(result).toEqual(byId.get(ids[index] ?? "")));
        const own = [...byId.values()].filter((result) => result?.deduplicated === false);
        expect(own).toHaveLength(1);
        expect(chain.bugs).toEqual([]);
      }),
      RUNS,
    );
  });

  it("and differ in their turn start one run for each turn", async () => {
    const anyTurns = fc.array(fc.constantFrom("t1", "t2"), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyTurns, async (s, turns) => {
        const racers = turns.map((turnId, index) => ({ args: {}, callId: `c${index}`, context: { turnId } }));
        const { answers, starts } = await race(s, racers, { effect: "read" });
        expect(starts).toHaveLength(new Set(turns).size);
        const texts = answers.map((answer, index) => `${turns[index]} ${textOf(resultOf(answer))}`);
        expect(new Set(texts).size).toBe(new Set(turns).size);
      }),
      RUNS,
    );
  });
});
