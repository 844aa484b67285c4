import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalise, canonicalJson } from "../../src/text/canonical-json.js";
import { LosslessNumber } from "../../src/text/lossless-number.js";

const hashOf = (text: string) => canonicalJson(text).hash;

/** Writes a value with shuffled keys, spare white space, escaped letters and longer number spellings. */
function respell(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(respell).join(" , ")} ]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).reverse();
    return `{\n${members.map(([key, item]) => `${respell(key)} :\t${respell(item)}`).join(",\r\n")}}`;
  }
  if (typeof value === "string") {
    const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16));
    return `"${units.map((unit) => `\\u${unit.padStart(4, "0")}`).join("")}"`;
  }
  if (typeof value === "number") return respellNumber(value);
  return JSON.stringify(value);
}

function respellNumber(value: number): string {
  const text = JSON.stringify(value);
  return text.includes("e") ? text.replace("e", "E") : `${text}${text.includes(".") ? "00" : ".0"}e0`;
}

describe("canonicalJson", () => {
  test("takes empty and blank text as an empty object", () => {
    expect(canonicalJson("").canonical).toBe("{}");
    expect(canonicalJson(" \n").value).toEqual({});
  });

  test("writes the form of RFC 8785", () => {
    const text =
      '{"b":[56.0,1E30,4.50,2e-3,0.000000000000000000000000001],"a":"\\u20ac\\u000F\\u000aA\'\\"","\\ud83d\\ude00":null,"\\ufb33":true}';
    expect(canonicalJson(text).canonical).toBe(
      '{"a":"€\\u000f\\nA\'\\"","b":[56,1e+30,4.5,0.002,1e-27],"😀":null,"\ufb33":true}',
    );
  });

  for (const equal of [
    ["1", "1.0", "1e0", "0.1e1", "10E-1"],
    ["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
    ["0", "-0", "0e999999999999"],
    ["1e400", "10e399"],
  ]) {
    test(`gives ${equal.join(", ")} one hash`, () => {
      expect(new Set(equal.map((number) => hashOf(`{"n":${number}}`))).size).toBe(1);
    });
  }

  for (const [number, spelling] of [
    ["9007199254740993", "9007199254740993"],
    ["1e400", "1e+400"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["-12345678901234567890123", "-1.2345678901234567890123e+22"],
    ["1e-400", "1e-400"],
  ] as const) {
    test(`keeps the decimal value of ${number}`, () => {
      const { value, canonical } = canonicalJson(`{"n":${number}}`);
      expect(value.n).toBeInstanceOf(LosslessNumber);
      expect((value.n as LosslessNumber).text).toBe(number);
      expect(canonical).toBe(`{"n":${spelling}}`);
    });
  }

  test("gives neighbours beyond 2^53 different hashes", () => {
    expect(hashOf('{"n":9007199254740993}')).not.toBe(hashOf('{"n":9007199254740992}'));
  });

  test("keeps exact numbers as numbers", () => {
    const { value } = canonicalJson('{"a":9007199254740992,"b":0.1,"c":-1.5e-7,"d":1e21}');
    expect(value).toEqual({ a: 9007199254740992, b: 0.1, c: -1.5e-7, d: 1e21 });
  });

  test("keeps a key named __proto__ as data", () => {
    const { value, canonical } = canonicalJson('{"__proto__":{"x":1}}');
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(canonical).toBe('{"__proto__":{"x":1}}');
  });

  const faults: [string, string][] = [
    ['{"a":1,"b":{"x":1,"\\u0078":2}}', 'line 1, column 19: duplicate key "x"'],
    ['{"a":1,\n "a":2}', 'line 2, column 2: duplicate key "a"'],
    ['{"a":tru}', "line 1, column 6: found 't' where a value should stand"],
    ['{"a":1,}', "line 1, column 8: found '}' where a key in double quotes should stand"],
    ['{"a":1', "line 1, column 7: the text ends where a comma or } should stand"],
    ['{"a":01}', "line 1, column 7: malformed number"],
    ['{"a":-}', "line 1, column 6: a minus sign needs digits after it"],
    ['{"a":"x\ny"}', "line 1, column 8: control character U+000A in a string: escape it"],
    ['{"a":"x', "line 1, column 6: this string is not closed"],
    ['{"a":"\\q"}', "line 1, column 7: unknown escape: a backslash itself is written as two"],
    ['{"a":"\\u12g4"}', "line 1, column 7: \\u needs four hexadecimal digits"],
    ["{} x", "line 1, column 4: more text follows the JSON value"],
    ["{'a':1}", "line 1, column 2: found ''' where a key in double quotes should stand"],
    ['{"a":1e9999999999}', "line 1, column 6: the exponent of this number has more than 9 digits"],
    ["[1]", "line 1, column 1: a JSON object is required, this is an array"],
    ["1e400", "line 1, column 1: a JSON object is required, this is a number"],
    ["null", "line 1, column 1: a JSON object is required, this is null"],
    [
      '"{\\"a\\":1}"',
      "line 1, column 1: a JSON object is wrapped in a JSON string: send the object itself, not quoted",
    ],
  ];
  for (const [text, message] of faults) {
    test(`refuses ${JSON.stringify(text)}`, () => expect(() => canonicalJson(text)).toThrow(message));
  }

  test("takes 100 levels and refuses 101", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(canonicalJson(nested(100)).hash).toMatch(/^[0-9a-f]{64}$/);
    expect(() => canonicalJson(nested(101))).toThrow("nesting is deeper than the limit of 100 levels");
  });

  const bombs: [string, string][] = [
    ["deep", `{"a":${"[".repeat(2_000_000)}`],
    ["deep and keyed", '{"a":'.repeat(800_000)],
    ["too long", `{"a":"${"x".repeat(8_000_000)}"}`],
    ["long by its exponent", `{"a":1e${"9".repeat(1_000_000)}}`],
  ];
  for (const [what, text] of bombs) {
    test(`refuses text that is ${what} in under 50 ms`, () => {
      const times = [1, 2, 3].map(() => {
        const start = performance.now();
        expect(() => canonicalJson(text)).toThrow(/^line 1/);
        return performance.now() - start;
      });
      expect(Math.min(...times)).toBeLessThan(50);
    });
  }

  test("takes numbers of a million digits in linear time", () => {
    const start = performance.now();
    for (const digits of [`1${"0".repeat(1e6)}1`, `0.${"0".repeat(1e6)}1`, "9".repeat(1e6)])
      hashOf(`{"n":${digits}}`);
    expect(performance.now() - start).toBeLessThan(500);
  });

  test("does not heed key order, white space, escapes and number spelling", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (value) => {
        expect(canonicalJson(respell(value)).hash).toBe(canonicalJson(JSON.stringify(value)).hash);
      }),
      { numRuns: 300 },
    );
  });

  test("heeds the order of arrays", () => {
    expect(hashOf('{"a":[1,2]}')).not.toBe(hashOf('{"a":[2,1]}'));
  });

  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const canonical = canonicalJson(text);
        expect(canonical.value).toEqual(JSON.parse(text));
        expect(canonicalJson(canonical.canonical).canonical).toBe(canonical.canonical);
      }),
      { numRuns: 300 },
    );
  });
});

describe("canonicalise", () => {
  test("gives a parsed object the hash of its text", () => {
    expect(canonicalise({ b: 5, a: [0.1, "x"] }).hash).toBe(hashOf('{"a":[0.1,"x"],"b":5.0}'));
  });

  test("refuses numbers that JSON cannot spell and nesting too deep", () => {
    expect(() => canonicalise({ n: Number.NaN })).toThrow("JSON has no spelling for the number NaN");
    expect(() => canonicalise({ a: { b: {} } }, { maxDepth: 2 })).toThrow("nested too deeply");
  });
});
