import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMasker } from "../../src/secrets/masker.js";
import { maskOf } from "../../src/secrets/mask.js";
import { secretForms } from "../../src/secrets/secret-forms.js";
import { encodingsOf, maskChunks, maskTextChunks } from "./fixture.js";

const units = fc.constantFrom(...'abAB01 +/"\\%$.*()[]{}^|?é€😀\n\r\t'.split(/(?:)/u));
const valueOf = fc.oneof(
  fc.string({ unit: units, minLength: 4, maxLength: 24 }),
  fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 4, maxLength: 9 }),
);
/** Some secrets, and often one that is inside of the first. */
const secretsOf = fc
  .tuple(fc.array(valueOf, { minLength: 1, maxLength: 3 }), fc.nat(4), fc.nat(12))
  .map(([values, from, count]) => [
    ...values,
    Array.from(values[0]!)
      .slice(from, from + count)
      .join(""),
  ])
  .map((values) => values.map((value, index) => ({ name: `NAME_${index}`, value })));

/** Texts made of the forms of values, pieces of them, masks, and other text. */
const caseOf = secretsOf.chain((secrets) => {
  const forms = secrets.flatMap(({ name, value }) => [...Object.values(encodingsOf(value)), maskOf(name)]);
  const whole = fc.constantFrom(...forms);
  const part = fc.tuple(whole, fc.nat(30), fc.nat(30)).map(([form, from, count]) =>
    Array.from(form)
      .slice(from, from + count)
      .join(""),
  );
  const piece = fc.oneof(whole, part, units, fc.constantFrom("[secret:", "\r\n", "x"));
  return fc.record({
    secrets: fc.constant(secrets),
    text: fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join("")),
    sizes: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 }).filter((sizes) => {
      return sizes.some((size) => size > 0);
    }),
  });
});

function* cut<Whole extends string | Buffer>(whole: Whole, sizes: readonly number[]): Generator<Whole> {
  for (let at = 0, index = 0; at < whole.length; index += 1) {
    const size = sizes[index % sizes.length]!;
    yield (typeof whole === "string" ? whole.slice(at, at + size) : whole.subarray(at, at + size)) as Whole;
    at += size;
  }
}

/** What is left of a text around the masks. */
function piecesAround(masked: string, names: readonly string[]): string[] {
  return names.reduce((pieces, name) => pieces.flatMap((piece) => piece.split(maskOf(name))), [masked]);
}

/** True if the end of one text begins the other. */
function isJoined(left: string, right: string): boolean {
  return Array.from(right, (_, index) => right.slice(0, index + 1)).some((start) => left.endsWith(start));
}

describe("any secrets in any text", () => {
  it("are masked alike however the text is cut", () => {
    fc.assert(
      fc.property(caseOf, ({ secrets, text, sizes }) => {
        const masker = createMasker(secrets);
        const whole = masker.text(text);
        expect(maskChunks(masker, cut(Buffer.from(text), sizes)).toString()).toBe(whole);
        expect(maskTextChunks(masker, cut(text, sizes))).toBe(whole);
      }),
      { numRuns: 600 },
    );
  });

  it("leave no form of a value in what is around the masks", () => {
    fc.assert(
      fc.property(caseOf, ({ secrets, text }) => {
        const pieces = piecesAround(
          createMasker(secrets).text(text),
          secrets.map(({ name }) => name),
        );
        for (const { value } of secrets) {
          const length = Array.from(value.trim()).length;
          const forms = length < 4 ? [] : length < 6 ? [value] : Object.values(encodingsOf(value));
          for (const form of forms) for (const piece of pieces) expect(piece).not.toContain(form);
        }
      }),
      { numRuns: 600 },
    );
  });

  it("are hidden wherever a form occurs, and nothing else is, by a search that tries every place", () => {
    fc.assert(
      fc.property(caseOf, ({ secrets, text: anyText }) => {
        const text = anyText.replace(/[\r\n]/g, "");
        const hidden = new Uint8Array(text.length);
        const words = secrets.flatMap(({ name, value }) => {
          const { exact, wrapped } = secretForms(value);
          return [...exact, ...wrapped, maskOf(name)];
        });
        for (const word of words) {
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
            hidden.fill(1, at, at + word.length);
          }
        }
        const left = text
          .split("")
          .map((unit, index) => (hidden[index] === 1 ? "\0" : unit))
          .join("")
          .split(/\0+/);
        const pieces = piecesAround(
          createMasker(secrets).text(text),
          secrets.map(({ name }) => name),
        );
        const masksAlone = secrets.every(({ value }) => secretForms(value).exact.length === 0);
        if (masksAlone)
          expect(pieces.join("")).toBe(
            piecesAround(
              text,
              secrets.map(({ name }) => name),
            ).join(""),
          );
        else expect(pieces.filter((piece) => piece !== "")).toEqual(left.filter((piece) => piece !== ""));
      }),
      { numRuns: 600 },
    );
  });

  it("are masked once and for all, if no value joins with a mask", () => {
    fc.assert(
      fc.property(caseOf, ({ secrets, text }) => {
        const masks = secrets.map(({ name }) => maskOf(name));
        const words = secrets.flatMap(({ value }) => secretForms(value).exact);
        fc.pre(words.every((word) => masks.every((mask) => !isJoined(word, mask) && !isJoined(mask, word))));
        const masker = createMasker(secrets);
        const once = masker.text(text);
        expect(masker.text(once)).toBe(once);
      }),
      { numRuns: 600 },
    );
  });

  it("leave bytes without a form as they are", () => {
    fc.assert(
      fc.property(
        secretsOf,
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 1, max: 50 }),
        (secrets, bytes, size) => {
          const latin = Buffer.from(bytes).toString("latin1");
          const words = secrets.flatMap(({ value }) => {
            const { exact, wrapped } = secretForms(value);
            return [...exact, ...wrapped].map((form) => Buffer.from(form).toString("latin1"));
          });
          fc.pre(!words.some((word) => latin.replace(/[\r\n]/g, "").includes(word) || latin.includes(word)));
          const masker = createMasker(secrets);
          expect(maskChunks(masker, cut(Buffer.from(bytes), [size])).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
