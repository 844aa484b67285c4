import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BoundedText } from "../../src/text/bounded-text.js";
import { countLines } from "../../src/text/count-lines.js";
import { truncateText } from "../../src/text/truncate.js";
import type { Keep } from "../../src/text/truncation-marker.js";

const LIMIT = 999;
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom("a", "\n", "é", "漢", "😀", "\u0301", "\u200d", "\ud83d", "\ude00"),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
  maxLength: 120,
});
const anyKeep = fc.constantFrom<Keep>("head", "tail", "both");
const anyCap = fc.integer({ min: 0, max: 60 });

function collect(chunks: readonly string[], options: { maxBytes: number; keep?: Keep }) {
  const collector = new BoundedText(options);
  for (const chunk of chunks) collector.append(chunk);
  return collector.result();
}

describe("truncateText", () => {
  for (const bytes of [LIMIT - 1, LIMIT]) {
    test(`leaves ${bytes} bytes at a cap of ${LIMIT} alone`, () => {
      const text = "x".repeat(bytes);
      expect(truncateText({ text, maxBytes: LIMIT })).toEqual({
        text,
        originalBytes: bytes,
        originalLines: 1,
        keptBytes: bytes,
        truncated: false,
      });
    });
  }

  test("says 1 more byte for one byte above the cap", () => {
    const { text, keptBytes } = truncateText({ text: "x".repeat(LIMIT + 1), maxBytes: LIMIT });
    expect(text).toBe(`${"x".repeat(LIMIT)}… [truncated, 1 more bytes]`);
    expect(keptBytes).toBe(LIMIT);
  });

  test("counts the bytes of wide characters, not the characters", () => {
    const { text, keptBytes } = truncateText({ text: "漢".repeat(LIMIT / 3 + 1), maxBytes: LIMIT });
    expect(text).toBe(`${"漢".repeat(333)}… [truncated, 3 more bytes]`);
    expect(keptBytes).toBe(999);
  });

  test("puts the marker first for tail and between for both", () => {
    expect(truncateText({ text: "abcdefgh", maxBytes: 4, keep: "tail" }).text).toBe(
      "… [truncated, 4 more bytes]efgh",
    );
    expect(truncateText({ text: "abcdefgh", maxBytes: 5, keep: "both" }).text).toBe(
      "abc… [truncated, 3 more bytes]gh",
    );
  });

  test("keeps nothing at a cap of 0", () => {
    expect(truncateText({ text: "漢字", maxBytes: 0 }).text).toBe("… [truncated, 6 more bytes]");
    expect(truncateText({ text: "", maxBytes: 0 }).text).toBe("");
  });

  test("does not cut a family emoji or an accent off", () => {
    const family = "👨\u200d👩\u200d👧";
    expect(truncateText({ text: `ab${family}`, maxBytes: 15 }).text).toMatch(/^ab… /);
    expect(truncateText({ text: "abe\u0301z", maxBytes: 3 }).text).toMatch(/^ab… /);
    expect(truncateText({ text: "abe\u0301z", maxBytes: 3, keep: "tail" }).text).toMatch(/ bytes\]z$/);
  });

  test("joins pieces", () => {
    expect(truncateText({ text: ["ab", "cd"], maxBytes: 3 }).text).toBe("abc… [truncated, 1 more bytes]");
  });

  test("keeps and counts exactly for any text, cap and end", () => {
    fc.assert(
      fc.property(anyText, anyCap, anyKeep, (text, maxBytes, keep) => {
        const cut = truncateText({ text, maxBytes, keep });
        const total = Buffer.byteLength(text);
        expect(cut.originalBytes).toBe(total);
        expect(cut.originalLines).toBe(countLines(text));
        expect(cut.keptBytes).toBeLessThanOrEqual(maxBytes);
        expect(cut.truncated).toBe(total > maxBytes);
        if (!cut.truncated) {
          expect(cut.text).toBe(text);
          return;
        }
        const marker = `… [truncated, ${total - cut.keptBytes} more bytes]`;
        const at = keep === "tail" ? 0 : cut.text.lastIndexOf(marker);
        const head = cut.text.slice(0, at);
        const tail = cut.text.slice(at + marker.length);
        expect(cut.text).toBe(head + marker + tail);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBe(cut.keptBytes);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        if (keep === "head") expect(tail).toBe("");
      }),
      { numRuns: 500 },
    );
  });

  test("never cuts inside a surrogate pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), anyCap, anyKeep, (text, maxBytes, keep) => {
        expect(truncateText({ text, maxBytes, keep }).text).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 300 },
    );
  });
});

describe("BoundedText", () => {
  test("gives what truncateText gives, however the text is chunked", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 12 }), anyCap, anyKeep, (chunks, maxBytes, keep) => {
        expect(collect(chunks, { maxBytes, keep })).toEqual(truncateText({ text: chunks, maxBytes, keep }));
      }),
      { numRuns: 1000 },
    );
  });

  test("gives what truncateText gives for single UTF-16 units and for large chunks", () => {
    const text = "zeile 漢😀e\u0301\n".repeat(3000);
    for (const keep of ["head", "tail", "both"] as const) {
      const expected = truncateText({ text, maxBytes: 10_001, keep });
      expect(collect(text.split(""), { maxBytes: 10_001, keep })).toEqual(expected);
      expect(collect([text], { maxBytes: 10_001, keep })).toEqual(expected);
    }
  });

  test("keeps both ends by default and can be asked before the end", () => {
    const collector = new BoundedText({ maxBytes: 4 });
    collector.append("abcd");
    expect(collector.result().text).toBe("abcd");
    collector.append("efgh");
    expect(collector.result().text).toBe("ab… [truncated, 4 more bytes]gh");
    expect(collector.bytes).toBe(8);
  });

  test("counts 400 MB exactly with flat memory", () => {
    const chunk = `${"x".repeat(65_535)}\n`;
    const collect = (chunks: number): BoundedText => {
      const collector = new BoundedText({ maxBytes: 32_768 });
      for (let index = 0; index < chunks; index += 1) collector.append(chunk);
      return collector;
    };
    collect(3200);
    const before = process.memoryUsage().rss;
    const collector = collect(6400);
    const { originalBytes, originalLines, keptBytes, text } = collector.result();
    expect({ originalBytes, originalLines, keptBytes }).toEqual({
      originalBytes: 419_430_400,
      originalLines: 6400,
      keptBytes: 32_768,
    });
    expect(text).toContain("… [truncated, 419397632 more bytes]");
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
  });
});
