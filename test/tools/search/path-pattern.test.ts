import { describe, expect, it } from "vitest";
import { PathPattern } from "../../../src/tools/search/path-pattern.js";

const takes = (pattern: string, path: string, hidden = false) =>
  PathPattern.parse(pattern)?.takes(path, { hidden });

describe("PathPattern", () => {
  const cases: [pattern: string, taken: string[], refused: string[]][] = [
    ["*.ts", ["a.ts", "x/y/a.ts"], ["a.tsx", ".ts", "x/.y/a.ts"]],
    ["/*.ts", ["a.ts"], ["x/a.ts"]],
    ["src/*.ts", ["src/a.ts"], ["src/x/a.ts", "x/src/a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts", "src/a.js"]],
    ["src/**", ["src/a", "src/x/y"], ["src", "a/src/b"]],
    ["**", ["a", "a/b"], [".a", "a/.b"]],
    ["*.{js,ts{,x}}", ["a.js", "a.ts", "a.tsx"], ["a.jsx"]],
    ["{src,test}/**/*.ts", ["src/a.ts", "test/x/a.ts"], ["lib/a.ts"]],
    ["[a-c]?[!0-9].txt", ["axb.txt"], ["dxb.txt", "ax1.txt"]],
    ["a[.txt", ["a[.txt"], ["a.txt"]],
    ["\\*.md", ["*.md"], ["a.md"]],
    [".github/**/*.yml", [".github/a.yml", ".github/w/b.yml"], [".github/.x/a.yml"]],
    ["**/b/**/c", ["b/c", "a/b/b/x/c"], ["a/c", "c"]],
    ["caf?", ["café", "caf😀"], ["cafés"]],
  ];
  for (const [pattern, taken, refused] of cases) {
    it(`${pattern} takes ${taken.join(", ")} and not ${refused.join(", ")}`, () => {
      expect(taken.filter((path) => takes(pattern, path) !== true)).toEqual([]);
      expect(refused.filter((path) => takes(pattern, path) !== false)).toEqual([]);
    });
  }

  it("takes hidden names if they are asked for", () => {
    expect(takes("**/*.yml", ".github/a.yml", true)).toBe(true);
  });

  it("refuses a pattern with too many alternatives", () => {
    expect(PathPattern.parse("{a,b}".repeat(20))).toBeUndefined();
  });

  it("is not slow on a pattern made to be slow", () => {
    const startedAt = performance.now();
    expect(takes(`${"*a".repeat(200)}b`, "a".repeat(4000))).toBe(false);
    expect(takes(`${"**/a/".repeat(100)}b`, "a/".repeat(1000) + "c")).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
