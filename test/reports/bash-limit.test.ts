import { expect, it } from "vitest";
import { bodyOf, onEachSandbox } from "./on-each-sandbox.js";

const LIMIT = 1024;

/** The numbers that stand in the markers of a text. */
function markers(text: string): number[] {
  return [...text.matchAll(/… \[truncated, (\d+) more bytes\]/g)].map(([, count]) => Number(count));
}

onEachSandbox(
  "the limit of text",
  ({ bash }) => {
    it.concurrent("does not cut an output of exactly the limit, or one byte less (B051)", async () => {
      for (const bytes of [LIMIT - 1, LIMIT]) {
        const ran = await bash(`head -c ${bytes} /dev/zero | tr '\\0' x`);
        expect(ran.text).toBe("x".repeat(bytes));
        expect(ran.result.truncation).toBeUndefined();
      }
    });

    it.concurrent("counts one byte above the limit as one (B051)", async () => {
      const ran = await bash(`head -c ${LIMIT + 1} /dev/zero | tr '\\0' x`);
      expect(markers(ran.text)).toEqual([1]);
      expect(bodyOf(ran).replaceAll(/[^x]/g, "")).toHaveLength(LIMIT);
      expect(ran.result.truncation).toMatchObject({
        originalBytes: BigInt(LIMIT + 1),
        keptBytes: BigInt(LIMIT),
      });
    });

    it.concurrent("counts bytes, not characters, and cuts between characters (B051)", async () => {
      const characters = Math.floor(LIMIT / 3) + 1;
      const ran = await bash(`printf '漢%.0s' $(seq ${characters})`);
      const [left = 0] = markers(ran.text);
      const kept = bodyOf(ran).match(/漢/g)?.length ?? 0;
      expect(markers(ran.text)).toHaveLength(1);
      expect(kept * 3 + left).toBe(characters * 3);
      expect(Number(ran.result.truncation?.keptBytes)).toBe(kept * 3);
      expect(ran.text).not.toContain("\u{fffd}");
    });

    it.concurrent("counts exactly what it left out of an output that both streams made (B051)", async () => {
      const ran = await bash("seq 1 5000; seq 1 5000 >&2; exit 4");
      const total = 2 * 23_893;
      const [left = 0] = markers(ran.text);
      expect(markers(ran.text)).toHaveLength(1);
      expect(Number(ran.result.truncation?.originalBytes)).toBe(total);
      expect(Number(ran.result.truncation?.keptBytes) + left).toBe(total);
      expect(ran.text).toContain("exit code 4");
    });
  },
  { environment: { HANDRAIL_MAX_TEXT_BYTES: String(LIMIT) } },
);
