import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/text/canonical-json.js";

const hashOf = (text: string) => canonicalJson(text).hash;
const hashOfNumber = (number: string) => hashOf(`{"n":${number}}`);

/** A decimal value: `digits` times ten to the `exponent`. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const anyDecimal: fc.Arbitrary<Decimal> = fc.record({
  isNegative: fc.boolean(),
  digits: fc.oneof(
    fc.bigInt({ min: 0n, max: 99n }).map(String),
    fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
    fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 9n }).map(String),
  ),
  exponent: fc.oneof(fc.constant(0), fc.integer({ min: -30, max: 30 }), fc.integer({ min: -400, max: 400 })),
});

/** How a decimal is spelled: where its point stands, and what is spare. */
interface Spelling {
  readonly point: number;
  readonly spareZeros: number;
  readonly e: string;
  readonly sign: string;
}

const anySpelling: fc.Arbitrary<Spelling> = fc.record({
  point: fc.integer({ min: -5, max: 35 }),
  spareZeros: fc.nat(3),
  e: fc.constantFrom("e", "E"),
  sign: fc.constantFrom("", "+"),
});

function spell({ isNegative, digits, exponent }: Decimal, { point, spareZeros, e, sign }: Spelling): string {
  const lead = point <= 0 ? "0".repeat(1 - point) : "";
  const padded = `${lead}${digits}${"0".repeat(Math.max(0, point - digits.length))}`;
  const at = Math.max(1, point);
  const whole = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const fraction = `${padded.slice(at)}${"0".repeat(spareZeros)}`;
  const left = exponent + digits.length - point;
  const power = left === 0 && spareZeros < 2 ? "" : `${e}${left < 0 ? "" : sign}${left}`;
  return `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}${power}`;
}

/** One text for each decimal value. */
function valueOf({ isNegative, digits, exponent }: Decimal): string {
  const bare = digits.replace(/^0+/, "").replace(/0+$/, "");
  if (bare === "") return "0";
  const zeros = digits.length - digits.replace(/0+$/, "").length;
  return `${isNegative ? "-" : ""}${bare}e${exponent + zeros}`;
}

const anyObject = fc.dictionary(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.jsonValue({ maxDepth: 3 }),
  {
    maxKeys: 6,
  },
);

/** Writes a JSON text with spare white space after each token. */
function spaced(text: string, spaces: readonly string[]): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^[\]{}:,"]+/g) ?? [];
  return tokens.map((token, index) => `${token}${spaces[index % spaces.length] ?? ""}`).join("");
}

const anySpaces = fc.array(fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r"), maxLength: 3 }), {
  minLength: 1,
  maxLength: 20,
});

describe("the hash of canonical JSON", () => {
  it("is one for all spellings of a number, and another for every other value", () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, anySpelling, anySpelling, (one, two, first, second) => {
        expect(hashOfNumber(spell(one, first))).toBe(hashOfNumber(spell(one, second)));
        const isSame = valueOf(one) === valueOf(two);
        expect(hashOfNumber(spell(one, first)) === hashOfNumber(spell(two, second))).toBe(isSame);
      }),
      { numRuns: 800 },
    );
  });

  it("tells any two integers beyond 2^53 apart", () => {
    const beyond = fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n });
    fc.assert(
      fc.property(beyond, fc.bigInt({ min: 1n, max: 3n }), fc.boolean(), (integer, step, isNegative) => {
        const sign = isNegative ? "-" : "";
        expect(hashOfNumber(`${sign}${integer}`)).not.toBe(hashOfNumber(`${sign}${integer + step}`));
      }),
      { numRuns: 500 },
    );
  });

  it("does not heed in which order the keys stand", () => {
    const shuffled = anyObject.chain((value) =>
      fc.tuple(
        fc.constant(value),
        fc.shuffledSubarray(Object.entries(value), { minLength: Object.keys(value).length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([value, members]) => {
        const text = `{${members.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(",")}}`;
        expect(hashOf(text)).toBe(hashOf(JSON.stringify(value)));
      }),
      { numRuns: 300 },
    );
  });

  it("does not heed which characters are escaped", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.array(fc.boolean(), { minLength: 1 }),
        (text, escapes) => {
          const units = Array.from({ length: text.length }, (_, at) => {
            const unit = text.charAt(at);
            const isBare = /[\p{L}\p{N} ]/u.test(unit) && escapes[at % escapes.length] !== true;
            return isBare ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
          });
          const spelled = `"${units.join("")}"`;
          const plain = JSON.stringify(text);
          expect(hashOf(`{"k":${spelled}}`)).toBe(hashOf(`{"k":${plain}}`));
          expect(hashOf(`{${spelled}:1}`)).toBe(hashOf(`{${plain}:1}`));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("does not heed white space between tokens", () => {
    fc.assert(
      fc.property(anyObject, anySpaces, (value, spaces) => {
        const text = JSON.stringify(value);
        expect(hashOf(spaced(text, spaces))).toBe(hashOf(text));
      }),
      { numRuns: 500 },
    );
  });

  it("heeds in which order the items of an array stand", () => {
    const permuted = fc
      .uniqueArray(fc.integer(), { minLength: 2, maxLength: 6 })
      .chain((items) =>
        fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
      );
    fc.assert(
      fc.property(permuted, ([items, others]) => {
        const isSame = JSON.stringify(items) === JSON.stringify(others);
        expect(hashOf(JSON.stringify({ items })) === hashOf(JSON.stringify({ items: others }))).toBe(isSame);
      }),
    );
  });

  it("is not made of an object that has a key twice, at any depth and however the key is escaped", () => {
    const key = fc.string({ unit: fc.constantFrom("a", "b", "é", "漢"), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyObject, key, fc.nat(4), (value, name, depth) => {
        const escaped = Array.from(name)
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join("");
        const rest = Object.entries(value).filter(([other]) => other !== name);
        const members = [...rest, [name, 1] as const].map(
          ([other, item]) => `${JSON.stringify(other)}:${JSON.stringify(item)}`,
        );
        const twice = `{"${escaped}":0,${members.join(",")}}`;
        const nested = `${'{"in":['.repeat(depth)}${twice}${"]}".repeat(depth)}`;
        expect(() => canonicalJson(nested)).toThrow(`duplicate key ${JSON.stringify(name)}`);
      }),
      { numRuns: 200 },
    );
  });
});
