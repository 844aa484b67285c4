import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, deadlineReserveMs, effectiveLimits } from "../../src/calls/limits.js";

const wishes = { queueMs: 0, runMs: 0, idleMs: 0, maxTextBytes: 0, keep: undefined };
const tool = { defaultMs: 60_000, maxMs: 600_000 };
const runMs = (options: Partial<Parameters<typeof effectiveLimits>[0]>) =>
  effectiveLimits({
    policy: DEFAULT_POLICY,
    tool,
    argumentMs: undefined,
    wishes,
    deadlineLeftMs: undefined,
    ...options,
  }).runMs;

describe("effectiveLimits", () => {
  const cases: [string, Parameters<typeof runMs>[0], number][] = [
    ["the default of the tool holds", {}, 60_000],
    ["an argument beats the default", { argumentMs: 5000 }, 5000],
    ["an argument above the maximum is lowered", { argumentMs: 3_000_000_000 }, 600_000],
    ["the largest safe integer is lowered", { argumentMs: Number.MAX_SAFE_INTEGER }, 600_000],
    ["a wish lowers", { wishes: { ...wishes, runMs: 100 } }, 100],
    ["a wish cannot raise", { wishes: { ...wishes, runMs: 100_000_000 } }, 60_000],
    ["a deadline leaves its reserve", { deadlineLeftMs: 10_000 }, 9500],
    ["a deadline of 60 days does not matter", { deadlineLeftMs: 60 * 86_400_000 }, 60_000],
    ["a tool without limits has none", { tool: undefined }, 0],
  ];
  for (const [name, options, expected] of cases) {
    it(name, () => expect(runMs(options)).toBe(expected));
  }

  it("text can be lowered and not raised", () => {
    const text = (maxTextBytes: number) =>
      effectiveLimits({
        policy: DEFAULT_POLICY,
        tool,
        argumentMs: undefined,
        wishes: { ...wishes, maxTextBytes },
        deadlineLeftMs: undefined,
      }).maxTextBytes;
    expect([text(0), text(100), text(10_000_000)]).toEqual([32_768, 100, 32_768]);
  });
});

describe("deadlineReserveMs", () => {
  const cases = [
    [100, 50],
    [400, 200],
    [1000, 250],
    [10_000, 500],
    [100_000, 1000],
  ];
  for (const [left = 0, reserve] of cases) {
    it(`holds back ${reserve} ms of ${left} ms`, () => expect(deadlineReserveMs(left)).toBe(reserve));
  }
});
