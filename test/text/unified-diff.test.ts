import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../src/text/unified-diff.js";

const diff = (before: string, after: string, maxLength = 10_000) => unifiedDiff({ before, after, maxLength });
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("");

describe("unifiedDiff", () => {
  it("shows three lines around a change, with line numbers of the whole text", () => {
    expect(diff(numbers(100), numbers(100).replace("\n50\n", "\nfifty\n"))).toBe(
      "@@ -47,7 +47,7 @@\n 47\n 48\n 49\n-50\n+fifty\n 51\n 52\n 53",
    );
  });

  it("shows changes at both ends", () => {
    expect(diff("a\nb", "b")).toBe("@@ -1,2 +1,1 @@\n-a\n b\n\\ No newline at end of file");
    expect(diff("", "a\n")).toBe("@@ -0,0 +1,1 @@\n+a");
  });

  it("is a patch that git applies", () => {
    const directory = mkdtempSync(join(tmpdir(), "handrail-diff-"));
    const line = fc.constantFrom("a", "b", "c", "");
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join("\n")}\n`);
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          fc.pre(before !== after);
          writeFileSync(join(directory, "f"), before);
          writeFileSync(join(directory, "p"), `--- a/f\n+++ b/f\n${diff(before, after) ?? ""}\n`);
          execFileSync("git", ["apply", "--unidiff-zero", "--whitespace=nowarn", "p"], { cwd: directory });
          expect(readFileSync(join(directory, "f"), "utf8")).toBe(after);
        }),
        { numRuns: 40 },
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("is cut after a line, and says how many are left out", () => {
    const cut = diff("x\n", numbers(1000), 200) ?? "";
    expect(cut.length).toBeLessThan(250);
    expect(cut).toMatch(/… \[\d+ more lines\]$/);
  });

  it("cuts long lines", () => {
    expect(diff("x", "y".repeat(5000))).toContain(`${"y".repeat(299)}… [5001 characters]`);
  });

  it("is left out where the change is too large to compare", () => {
    expect(diff("", "x\n".repeat(200_000))).toBeUndefined();
  });
});
