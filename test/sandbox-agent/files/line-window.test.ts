import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteCursor } from "../../../src/sandbox-agent/files/byte-cursor.js";
import type { LineUnit } from "../../../src/sandbox-agent/files/line-unit.js";
import { readLineWindow } from "../../../src/sandbox-agent/files/line-window.js";

const layouts: [name: string, unit: LineUnit, encode: (text: string) => Buffer][] = [
  ["bytes", { bytes: 1, lowAt: 0 }, (text) => Buffer.from(text)],
  ["UTF-16 LE", { bytes: 2, lowAt: 0 }, (text) => Buffer.from(text, "utf16le")],
  ["UTF-16 BE", { bytes: 2, lowAt: 1 }, (text) => Buffer.from(text, "utf16le").swap16()],
];

/** Text that may not agree with a naive reader: line ends, `਀` and `਍` (which hold their bytes), wide characters. */
const piece = fc.constantFrom(
  "\n",
  "\r\n",
  "\r",
  "a",
  "b",
  "é",
  "漢",
  "😀",
  "\u0a00",
  "\u0d0a",
  "xyz ".repeat(30),
);
const textOf = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

interface Window {
  readonly firstLine: number;
  readonly maxLines: number;
  readonly maxLineBytes: number;
  readonly lineOffsetBytes?: number;
}

const windowOf = fc.record<Window>({
  firstLine: fc.integer({ min: 1, max: 30 }),
  maxLines: fc.integer({ min: 1, max: 30 }),
  maxLineBytes: fc.constantFrom(1, 2, 3, 7, 64, 100_000),
});

/** Reads the window of a text that arrives in reads of at most `readBytes`. */
function windowIn(bytes: Buffer, unit: LineUnit, { readBytes, ...window }: Window & { readBytes: number }) {
  const cursor = new ByteCursor((buffer, position) =>
    Promise.resolve(bytes.copy(buffer, 0, position, Math.min(bytes.length, position + readBytes))),
  );
  return readLineWindow({
    cursor,
    unit,
    maxBytes: 1_000_000,
    lineOffsetBytes: 0,
    isExpired: () => false,
    signal: new AbortController().signal,
    ...window,
  });
}

/** The lines of a text by splitting it. */
function split(text: string): { lines: string[]; finalNewline: boolean } {
  const lines = text.split("\n");
  const finalNewline = lines.length > 1 && lines.at(-1) === "";
  if (lines.at(-1) === "") lines.pop();
  const ended = text.split("\n").length - 1;
  return {
    lines: lines.map((line, index) => (index < ended ? line.replace(/\r$/, "") : line)),
    finalNewline,
  };
}

describe("a window of lines", () => {
  for (const [name, unit, encode] of layouts)
    it(`in ${name} is what splitting the text gives`, async () => {
      await fc.assert(
        fc.asyncProperty(
          textOf,
          windowOf,
          fc.integer({ min: 1, max: 50 }),
          async (text, window, readBytes) => {
            const { lines, finalNewline } = split(text);
            const read = await windowIn(encode(text), unit, { ...window, readBytes });
            const wanted = lines
              .slice(window.firstLine - 1, window.firstLine - 1 + window.maxLines)
              .map(encode);
            expect(read.lines.map(({ data, omittedBytes }) => data.length + omittedBytes)).toEqual(
              wanted.map(({ length }) => length),
            );
            read.lines.forEach(({ data }, index) => {
              const whole = wanted[index];
              expect(whole?.subarray(0, data.length).equals(data)).toBe(true);
              const most = Math.max(unit.bytes, window.maxLineBytes);
              expect(data.length).toBeLessThanOrEqual(most);
              if ((whole?.length ?? 0) > 0) expect(data.length).toBeGreaterThan(0);
              if ((whole?.length ?? 0) <= window.maxLineBytes) expect(data.length).toBe(whole?.length);
            });
            const atEnd = window.firstLine - 1 + window.maxLines >= lines.length;
            expect(read.atEnd).toBe(atEnd);
            if (atEnd) expect([read.linesSeen, read.finalNewline]).toEqual([lines.length, finalNewline]);
          },
        ),
        { numRuns: 300 },
      );
    });

  for (const [name, unit, encode] of layouts)
    it(`in ${name} can be read on inside a long line until all of it was read`, async () => {
      await fc.assert(
        fc.asyncProperty(textOf, fc.integer({ min: 4, max: 40 }), async (text, maxLineBytes) => {
          const whole = encode(text.replaceAll(/[\r\n]/g, ""));
          const parts: Uint8Array[] = [];
          for (let offset = 0; offset < whole.length;) {
            const { lines } = await windowIn(whole, unit, {
              firstLine: 1,
              maxLines: 1,
              maxLineBytes,
              readBytes: 1000,
              lineOffsetBytes: offset,
            });
            const data = lines[0]?.data ?? new Uint8Array(0);
            expect(data.length).toBeGreaterThan(0);
            parts.push(data);
            offset += data.length;
          }
          expect(Buffer.concat(parts).equals(whole)).toBe(true);
        }),
        { numRuns: 100 },
      );
    });

  it("crosses chunks of the file without losing or doubling a byte", async () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `line ${index}`).join("\r\n");
    const { lines } = split(text);
    for (const firstLine of [1, 5957, 5958, 29_000, 59_990]) {
      const read = await windowIn(
        Buffer.from(text),
        { bytes: 1, lowAt: 0 },
        {
          firstLine,
          maxLines: 8,
          maxLineBytes: 100,
          readBytes: 1_000_000,
        },
      );
      expect(read.lines.map(({ data }) => Buffer.from(data).toString())).toEqual(
        lines.slice(firstLine - 1, firstLine + 7),
      );
    }
  });
});
