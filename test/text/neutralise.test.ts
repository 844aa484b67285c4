import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { neutralise, Neutraliser } from "../../src/text/neutralise.js";
import type { CarriageReturnMode } from "../../src/text/carriage-returns.js";

const ESC = "\x1b";
const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/;
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ESC,
        "[",
        "]",
        "P",
        "0",
        ";",
        "m",
        "\x07",
        "\\",
        "\r",
        "\n",
        "\r\n",
        "\t",
        " ",
        "(",
        "B",
      ),
      fc.constantFrom(
        "\x9b",
        "\x9c",
        "\0",
        "\u202e",
        "\u2069",
        "\ud83d",
        "\ude00",
        "👨\u200d👩",
        "\u{e0041}",
        "é",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));
const anyMode = fc.constantFrom<CarriageReturnMode>("newline", "escape", "overwrite");

describe("neutralise", () => {
  const table: [string, string, string][] = [
    ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["window titles", `${ESC}]0;title\x07a${ESC}]2;t${ESC}\\b`, "ab"],
    ["links", `${ESC}]8;;https://x.test${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
    ["device control strings", `a${ESC}Pq#0;2${ESC}\\b`, "ab"],
    ["charset switches and resets", `${ESC}(B${ESC}=a${ESC}c`, "a"],
    ["an unterminated title without swallowing the rest", `${ESC}]0;oops\nrest`, "\\x1b]0;oops\nrest"],
    ["an unfinished sequence at the end", `a${ESC}[31`, "a\\x1b[31"],
    ["a lone escape", `a${ESC}`, "a\\x1b"],
    ["NUL", "x\0y\n", "x\\x00y\n"],
    ["bell, backspace, delete and C1", "\x07\b\x7f\x9b", "\\x07\\x08\\x7f\\x9b"],
    ["bidi overrides and isolates", "a\u202eb\u2066c", "a\\u{202E}b\\u{2066}c"],
    ["tag characters", "a\u{e0041}", "a\\u{E0041}"],
    ["lone surrogates", "a\ud83db\ude00", "a\ufffdb\ufffd"],
    ["surrogates that a sequence divides", `\ud83d${ESC}[m\ude00`, "\ufffd\ufffd"],
    ["Windows line ends", "a\r\nb\r\n", "a\nb\n"],
    ["old Mac line ends", "a\rb", "a\nb"],
  ];
  for (const [what, input, output] of table) {
    test(`settles ${what}`, () => expect(neutralise(input)).toBe(output));
  }

  test("leaves text, tabs, emoji and right-to-left letters alone", () => {
    const text = "tab\there\n👨\u200d👩\u200d👧 é שלום\n";
    expect(neutralise(text)).toBe(text);
  });

  test("shows the last state of a progress bar in mode overwrite", () => {
    const bar = `start\n10%\r20%\r${ESC}[K100%\r\ndone\r`;
    expect(neutralise(bar, { carriageReturn: "overwrite" })).toBe("start\n100%\ndone");
  });

  test("keeps a line above 4,096 units that a carriage return would overwrite", () => {
    const long = "x".repeat(4097);
    expect(neutralise(`${long}\ry`, { carriageReturn: "overwrite" })).toBe(`${long}\ny`);
    expect(neutralise(`${long.slice(1)}\ry`, { carriageReturn: "overwrite" })).toBe("y");
  });

  test("shows a carriage return in mode escape", () => {
    expect(neutralise("a\rb\r\n", { carriageReturn: "escape" })).toBe("a\\rb\n");
  });

  test("leaves no control character and is left alone by a second pass", () => {
    fc.assert(
      fc.property(hostile, anyMode, (text, carriageReturn) => {
        const once = neutralise(text, { carriageReturn });
        expect(once).not.toMatch(FORBIDDEN);
        expect(once).not.toMatch(/\p{Surrogate}/u);
        expect(neutralise(once, { carriageReturn })).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  test("does not depend on where chunks are cut", () => {
    fc.assert(
      fc.property(hostile, anyMode, fc.integer({ min: 1, max: 7 }), (text, carriageReturn, size) => {
        const stream = new Neutraliser({ carriageReturn });
        let out = "";
        for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
        expect(out + stream.flush()).toBe(neutralise(text, { carriageReturn }));
      }),
      { numRuns: 1000 },
    );
  });

  const hostileTexts: [string, string][] = [
    ["escape characters", ESC.repeat(250_000)],
    ["opened titles", `${ESC}]`.repeat(125_000)],
    ["characters of one title", `${ESC}]${"x".repeat(250_000)}`],
    ["parameters of one sequence", `${ESC}[${"1;".repeat(125_000)}`],
    ["carriage returns", "a\r".repeat(125_000)],
    ["lone surrogates", "\ud83d".repeat(250_000)],
  ];
  for (const [what, text] of hostileTexts) {
    test(`takes linear time on very many ${what}`, () => {
      const start = performance.now();
      neutralise(text, { carriageReturn: "overwrite" });
      expect(performance.now() - start).toBeLessThan(2000);
    });
  }
});
