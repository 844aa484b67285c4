import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neutralise } from "../../src/text/neutralise.js";
import { isPlainBytes } from "../../src/text/plain-bytes.js";

const plain = /^[\t\n -~]*$/;

describe("isPlainBytes", () => {
  it("is true for printable ASCII, newlines and tabs alone, wherever the bytes lie", () => {
    const byte = fc.oneof(
      { weight: 60, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
      { weight: 8, arbitrary: fc.constantFrom(0x09, 0x0a) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(5), (bytes, offset) => {
        const data = Uint8Array.from([...new Array<number>(offset).fill(0), ...bytes]).subarray(offset);
        expect(isPlainBytes(data)).toBe(plain.test(Buffer.from(bytes).toString("latin1")));
      }),
      { numRuns: 2000 },
    );
  });

  it("says of each single byte what a pattern does, at each place of a word", () => {
    for (let byte = 0; byte < 256; byte += 1)
      for (let at = 0; at < 4; at += 1) {
        const data = new Uint8Array(8).fill(0x78);
        data[at + 2] = byte;
        expect([byte, at, isPlainBytes(data)]).toEqual([
          byte,
          at,
          plain.test(Buffer.from(data).toString("latin1")),
        ]);
      }
  });

  it("holds only for text that neutralising leaves alone", () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const text = String.fromCharCode(...bytes.filter((byte) => isPlainBytes(Uint8Array.of(byte))));
    expect(neutralise(text)).toBe(text);
  });
});
