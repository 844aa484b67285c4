import { expect, test } from "vitest";

import { ResetBudget } from "../../src/server/reset-budget.js";

function spendAll(budget: ResetBudget): number {
  let spent = 0;
  while (budget.spend()) spent += 1;
  return spent;
}

test("a burst is forgiven and the next reset is not", () => {
  expect(spendAll(new ResetBudget({ burst: 5, perSecond: 1, now: () => 0 }))).toBe(5);
});

test("resets are forgiven again as time passes, up to the burst", () => {
  let time = 0;
  const budget = new ResetBudget({ burst: 5, perSecond: 2, now: () => time });
  spendAll(budget);
  time = 2000;
  expect(spendAll(budget)).toBe(3);
  time = 60_000;
  expect(spendAll(budget)).toBe(5);
});

test("a steady rate below the limit is never too much", () => {
  let time = 0;
  const budget = new ResetBudget({ burst: 2, perSecond: 100, now: () => time });
  const verdicts = Array.from({ length: 1000 }, () => {
    time += 11;
    return budget.spend();
  });
  expect(verdicts).not.toContain(false);
});
