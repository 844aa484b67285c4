import { describe, expect, it } from "vitest";
import { createMasker } from "../../src/secrets/masker.js";
import { maskChunks } from "./fixture.js";

const MB = 1_000_000;
const CHUNK_BYTES = 65_536;

const repeat = (unit: string) => unit.repeat(Math.ceil(MB / unit.length));
const letters = (count: number) => "a".repeat(count);

const cases = {
  "a long value of one letter in text of that letter": { values: [letters(1000)], text: repeat("a") },
  "values of one letter in all lengths": {
    values: Array.from({ length: 60 }, (_, index) => letters(index + 4)),
    text: repeat("a"),
  },
  "text that always misses by the last letter": { values: [letters(1000)], text: repeat(`${letters(999)}b`) },
  "text that misses by the first letter": { values: [`b${letters(500)}`], text: repeat("a") },
  "text that falls back often": { values: ["ab".repeat(200) + "c"], text: repeat("ab") },
  "base64 of one letter in lines": { values: ["\0".repeat(3000) + "x"], text: repeat(`${"A".repeat(17)}\n`) },
  "line breaks alone": { values: [letters(1000)], text: repeat("\r\n") },
  "beginnings of masks": { values: ["secret-value"], text: repeat("[secret:") },
};

describe("1 MB of nasty input", () => {
  for (const [name, { values, text }] of Object.entries(cases)) {
    it(`takes less than a second of work: ${name}`, () => {
      const masker = createMasker(values.map((value, index) => ({ name: `N${index}`, value })));
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, index) =>
        bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
      );
      const before = process.cpuUsage();
      const masked = maskChunks(masker, chunks);
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
      expect(masked.length).toBeLessThanOrEqual(bytes.length);
    });
  }
});

describe("ordinary output", () => {
  it("passes faster than 50 MB in a second of work with 20 secrets", () => {
    const masker = createMasker(
      Array.from({ length: 20 }, (_, index) => ({
        name: `KEY_${index}`,
        value: Buffer.from(`${index}/${"q7Zr".repeat(index % 7)}-${index * 7919}-key`).toString("base64"),
      })),
    );
    const chunk = Buffer.from(
      " ✓ test/parts/widget.test.ts (12 tests) 31ms\n  compiled src/index.ts in 3.2 s\n".repeat(800),
    );
    const stream = masker.byteStream();
    for (let count = 0; count < 100; count += 1) stream.push(chunk);
    const rounds = Math.ceil((20 * MB) / chunk.length);
    const before = process.cpuUsage();
    for (let count = 0; count < rounds; count += 1) stream.push(chunk);
    expect(process.cpuUsage(before).user).toBeLessThan(400_000);
  });

  it("is held back no longer than the longest form", () => {
    const stream = createMasker([{ name: "A", value: letters(1000) }]).byteStream();
    let given = 0;
    for (let count = 1; count <= 5000; count += 1) {
      given += stream.push(Buffer.from(count % 700 === 0 ? "b" : "a")).length;
      expect(count - given).toBeLessThan(1000);
    }
  });
});
