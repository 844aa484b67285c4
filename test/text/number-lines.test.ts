import { expect, test } from "vitest";
import { numberLines } from "../../src/text/number-lines.js";

test("aligns line numbers to six columns and lets longer ones grow", () => {
  expect(numberLines(["a", "", "\tb"], 999_999)).toBe("999999\ta\n1000000\t\n1000001\t\tb");
  expect(numberLines(["text"], 1)).toBe("     1\ttext");
});

test("gives an empty text for no lines", () => {
  expect(numberLines([], 1)).toBe("");
});
