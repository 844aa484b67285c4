import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedText } from "../../src/text/bounded-text.js";
import { truncateText } from "../../src/text/truncate.js";
import { splitCap } from "../../src/text/truncation-marker.js";
import type { Keep, TruncatedText } from "../../src/text/truncation-marker.js";

const MARKER = /… \[truncated, (\d+) more bytes\]/g;
/** Characters that an end may give up so as not to part a grapheme. */
const GIVEN_UP = 16;

const ansi = fc.constantFrom(
  "\u001b[31m",
  "\u001b[0m",
  "\u001b[2K\r",
  "\u001b]0;title\u0007",
  "\u001b[38;5;196m",
);
const clusters = fc.constantFrom("👨\u200d👩\u200d👧", "e\u0301\u0323", "👍🏽", "🇨🇭", "नि", "\r\n", "漢");
const anyPiece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
  ansi,
  clusters,
);
const anyPieces = fc.array(anyPiece, { maxLength: 30 });
const anyText = anyPieces.map((pieces) => pieces.join("").replaceAll("… [truncated", ""));
const anyCap = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 400 }));
const anyKeep = fc.constantFrom<Keep>("head", "tail", "both");

/** The kept ends of a text that was cut, and the bytes that its one marker names. */
function partsOf({ text }: TruncatedText): { head: string; tail: string; omittedBytes: number } {
  const found = [...text.matchAll(MARKER)];
  expect(found).toHaveLength(1);
  const [marker] = found;
  if (marker === undefined) throw new Error("no marker");
  return {
    head: text.slice(0, marker.index),
    tail: text.slice(marker.index + marker[0].length),
    omittedBytes: Number(marker[1]),
  };
}

/** Cuts a text into chunks at UTF-16 positions, which may lie inside a surrogate pair. */
function chunksOf(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index]));
}

/** Every cut of any text, with the pieces of its check. */
function eachCut(
  check: (options: { text: string; maxBytes: number; keep: Keep; cut: TruncatedText }) => void,
) {
  fc.assert(
    fc.property(anyText, anyCap, anyKeep, (text, maxBytes, keep) => {
      const cut = truncateText({ text, maxBytes, keep });
      if (cut.truncated) check({ text, maxBytes, keep, cut });
      else expect(cut.text).toBe(text);
    }),
    { numRuns: 800 },
  );
}

describe("a text that is cut", () => {
  it("has one marker between a start and an end of the text, from which the whole is made again", () => {
    eachCut(({ text, cut }) => {
      const { head, tail, omittedBytes } = partsOf(cut);
      const whole = Buffer.from(text);
      const from = Buffer.byteLength(head);
      expect(from + omittedBytes + Buffer.byteLength(tail)).toBe(whole.length);
      const omitted = whole.subarray(from, from + omittedBytes).toString();
      expect(head + omitted + tail).toBe(text);
    });
  });

  it("keeps at most its share of the cap at each end, and nothing at an end that is not to be kept", () => {
    eachCut(({ maxBytes, keep, cut }) => {
      const { head, tail } = partsOf(cut);
      const share = splitCap(maxBytes, keep);
      expect(Buffer.byteLength(head)).toBeLessThanOrEqual(share.headBytes);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(share.tailBytes);
      expect(share.headBytes + share.tailBytes).toBe(maxBytes);
      expect(cut.keptBytes).toBe(Buffer.byteLength(head) + Buffer.byteLength(tail));
    });
  });

  it("gives up no more than it must: one character that does not fit, and few for the sake of a grapheme", () => {
    eachCut(({ text, maxBytes, keep, cut }) => {
      const { head, tail } = partsOf(cut);
      const share = splitCap(maxBytes, keep);
      const after = Array.from(text.slice(head.length))
        .slice(0, GIVEN_UP + 1)
        .join("");
      const before = Array.from(text.slice(0, text.length - tail.length))
        .slice(-GIVEN_UP - 1)
        .join("");
      expect(Buffer.byteLength(head + after)).toBeGreaterThan(share.headBytes);
      expect(Buffer.byteLength(before + tail)).toBeGreaterThan(share.tailBytes);
    });
  });

  it("of ASCII keeps exactly its cap", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 200 }),
        anyKeep,
        fc.nat(),
        (text, keep, at) => {
          const maxBytes = at % text.length;
          expect(truncateText({ text, maxBytes, keep }).keptBytes).toBe(maxBytes);
        },
      ),
    );
  });

  it("has no half of a surrogate pair", () => {
    eachCut(({ cut }) => {
      expect(cut.text).not.toMatch(/\p{Surrogate}/u);
    });
  });
});

describe("BoundedText", () => {
  it("gives what truncateText gives, wherever the chunks part the text", () => {
    fc.assert(
      fc.property(
        anyText,
        anyCap,
        anyKeep,
        fc.array(fc.nat(), { maxLength: 20 }),
        (text, maxBytes, keep, cuts) => {
          const collector = new BoundedText({ maxBytes, keep });
          for (const chunk of chunksOf(text, cuts)) collector.append(chunk);
          expect(collector.result()).toEqual(truncateText({ text, maxBytes, keep }));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it("gives at every moment what truncateText gives of the text so far", () => {
    fc.assert(
      fc.property(anyPieces, anyCap, anyKeep, (pieces, maxBytes, keep) => {
        const collector = new BoundedText({ maxBytes, keep });
        let text = "";
        for (const piece of pieces) {
          collector.append(piece);
          text += piece;
          expect(collector.result()).toEqual(truncateText({ text, maxBytes, keep }));
        }
      }),
      { numRuns: 200 },
    );
  });
});
