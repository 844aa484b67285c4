import { describe, expect, it } from "vitest";
import { createMasker } from "../../src/secrets/masker.js";
import { base64Url } from "./fixture.js";

const value = "sk-live_4f9?>~ÿ9a";
const masker = createMasker([{ name: "KEY", value }]);
const MASK = "[secret:KEY]";

describe("base64 of a larger text", () => {
  for (const [alphabet, encode] of Object.entries({
    standard: (bytes: Buffer) => bytes.toString("base64"),
    "URL-safe": (bytes: Buffer) => base64Url(bytes),
  })) {
    for (const before of [0, 1, 2, 3, 4, 5]) {
      for (const after of [0, 1, 2, 3]) {
        it(`hides all that is of the value alone after ${before} and before ${after} bytes in the ${alphabet} alphabet`, () => {
          const end = before + Buffer.byteLength(value);
          const encoded = encode(Buffer.from("#".repeat(before) + value + "~".repeat(after))).replace(
            /=+$/,
            "",
          );
          const left = encoded.slice(0, Math.ceil((before * 8) / 6));
          const right = after === 0 ? "" : encoded.slice(Math.floor((end * 8) / 6));
          expect(masker.text(encoded)).toBe(left + MASK + right);
        });
      }
    }
  }

  it("hides the padding behind a value at the end", () => {
    for (const before of ["#", "##"]) {
      const encoded = Buffer.from(before + value).toString("base64");
      expect(encoded).toMatch(/=$/);
      expect(masker.text(encoded)).toBe(encoded.slice(0, before.length + 1) + MASK);
    }
  });
});

describe("an encoding in lines", () => {
  const text = `DB_HOST=localhost\nAPI_KEY=${value}\nMODE=production-with-a-long-name\n`.repeat(9);

  for (const [name, lineEnd] of Object.entries({ LF: "\n", "CR LF": "\r\n" })) {
    for (let columns = 16; columns <= 80; columns += 1) {
      it(`hides the value wherever a line of ${columns} columns ends with ${name}`, () => {
        const wrap = (form: string) => form.replace(new RegExp(`.{${columns}}`, "g"), `$&${lineEnd}`);
        for (const encoding of ["base64", "hex"] as const) {
          const masked = masker.text(wrap(Buffer.from(text).toString(encoding)));
          expect(masked.split(MASK)).toHaveLength(10);
          const rest = masked.split(MASK).map((piece) => piece.replaceAll(lineEnd, ""));
          const decoded = rest.map((piece) => Buffer.from(piece, encoding).toString("latin1")).join("|");
          expect(decoded).not.toContain("live");
        }
      });
    }
  }

  it("is not taken for one across an empty line", () => {
    const form = Buffer.from("abcdef").toString("base64");
    const masked = createMasker([{ name: "S", value: "abcdef" }]);
    const apart = `${form.slice(0, 4)}\n\n${form.slice(4)}`;
    expect(masked.text(apart)).toBe(apart);
    expect(masked.text(apart.replace("\n\n", "\n"))).toBe("[secret:S]");
  });

  it("is found behind a line that only looks like its beginning", () => {
    const letters = createMasker([{ name: "S", value: "a".repeat(20) }]);
    const hex = (count: number) => "61".repeat(count);
    expect(letters.text(`${hex(10)}\n${hex(5)}\n${hex(15)}`)).toBe(`${hex(10)}\n[secret:S]`);
  });
});
