import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const TESTS = new URL("../", import.meta.url).pathname;
const TITLE = /\b(?:it|test)(?:\.concurrent|\.sequential)?\(\s*"((?:[^"\\]|\\.)*)"/g;
const LEFT_OUT =
  /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fails|only)\b|\bx(?:it|test|describe)\(/;
const REPORT_ID = /\bB\d{3}\b/g;

interface Row {
  readonly id: string;
  readonly reference: string;
  readonly fault: string;
  readonly titles: readonly string[];
}

function rowsOf(markdown: string): Row[] {
  const lines = markdown.split("\n").filter((line) => /^\| B\d/.test(line));
  return lines.map((line) => {
    const [id = "", reference = "", fault = "", titles = ""] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { id, reference, fault, titles: titles.split("<br>").map((title) => title.trim()) };
  });
}

/** The sources of all tests but this one, by path below test/. */
function sources(): Map<string, string> {
  const paths = readdirSync(TESTS, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && path !== join("structure", "reports.test.ts"),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(TESTS, path), "utf8")]));
}

function titlesIn(source: string): string[] {
  return [...source.matchAll(TITLE)].map(([, literal = ""]) => JSON.parse(`"${literal}"`) as string);
}

function commentsIn(source: string): string {
  return [...source.matchAll(/\/\*[^]*?\*\/|\/\/.*$/gm)].map(([comment]) => comment).join("\n");
}

describe("the table of public reports", () => {
  const rows = rowsOf(readFileSync(join(TESTS, "reports.md"), "utf8"));
  const files = sources();

  it("has one whole row for each report", () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id, reference, fault } of rows) {
      expect([id, reference !== "", /\w.*\.$/.test(fault)]).toEqual([id, true, true]);
    }
  });

  it("names only tests that there are", () => {
    const known = new Set([...files.values()].flatMap(titlesIn));
    const named = rows.flatMap(({ titles }) => titles);
    expect(named.filter((title) => !known.has(title))).toEqual([]);
  });

  it("names no test of a file that leaves tests out", () => {
    const named = new Set(rows.flatMap(({ titles }) => titles));
    const leaving = [...files].filter(
      ([, source]) => LEFT_OUT.test(source) && titlesIn(source).some((title) => named.has(title)),
    );
    expect(leaving.map(([path]) => path)).toEqual([]);
  });

  it("has every report that a test title or a comment of test/reports names, with that test", () => {
    const byId = new Map(rows.map(({ id, titles }) => [id, titles]));
    for (const [path, source] of files) {
      for (const title of titlesIn(source)) {
        for (const [id] of title.matchAll(REPORT_ID))
          expect([path, id, byId.get(id)]).toContainEqual(expect.arrayContaining([title]));
      }
      if (!path.startsWith("reports/")) continue;
      for (const [id] of commentsIn(source).matchAll(REPORT_ID)) expect([...byId.keys()]).toContain(id);
    }
  });
});
