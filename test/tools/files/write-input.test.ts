import { describe, expect, it } from "vitest";
import { edit } from "../../../src/tools/files/edit.js";
import { write } from "../../../src/tools/files/write.js";
import type { AnyTool } from "../../../src/tools/define.js";

function problem(tool: AnyTool, args: unknown): string {
  const prepared = tool.prepare(args);
  return "issues" in prepared
    ? prepared.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ")
    : "none";
}

describe("the arguments of write", () => {
  it("take any whole text, also an empty one", () => {
    for (const content of ["", "\0", "😀", "\ufeff", "x".repeat(8 * 1024 * 1024)])
      expect(problem(write, { path: "f", content })).toBe("none");
  });

  it("refuse half of a surrogate pair", () => {
    for (const content of ["\ud83d", "a\ude00b"])
      expect(problem(write, { path: "f", content })).toMatch(/^content has half of a surrogate pair/);
  });

  it("refuse more than 8 MiB", () => {
    const content = `${"x".repeat(8 * 1024 * 1024 - 1)}é`;
    expect(problem(write, { path: "f", content })).toMatch(/^content is longer than 8388608 bytes/);
  });

  it("refuse an empty path and unknown keys", () => {
    expect(problem(write, { path: "", content: "" })).toMatch(/^path is empty/);
    expect(problem(write, { path: "f", content: "", mode: 1 })).toContain("mode");
  });
});

describe("the arguments of edit", () => {
  const one = { old_string: "a", new_string: "b" };

  it("take one edit or a list, with null for what is left out", () => {
    expect(problem(edit, { path: "f", ...one })).toBe("none");
    expect(problem(edit, { path: "f", ...one, replace_all: true, edits: null })).toBe("none");
    expect(problem(edit, { path: "f", edits: [one, { ...one, replace_all: null }], old_string: null })).toBe(
      "none",
    );
  });

  const refused: [name: string, args: object, message: RegExp][] = [
    ["no edit", {}, /^old_string is missing; or send edits$/],
    ["no new text", { old_string: "a" }, /^new_string is missing$/],
    ["an empty list", { edits: [] }, /^edits is empty/],
    ["both forms", { ...one, edits: [one] }, /^edits is sent together/],
    ["an edit that changes nothing", { old_string: "a", new_string: "a" }, /^new_string is equal/],
    [
      "such an edit in a list",
      { edits: [one, { old_string: "", new_string: "" }] },
      /^edits\.1\.new_string is equal/,
    ],
    ["half of a surrogate pair", { old_string: "a", new_string: "\ud83d" }, /^new_string has half/],
  ];
  for (const [name, args, message] of refused)
    it(`refuse ${name}`, () => {
      expect(problem(edit, { path: "f", ...args })).toMatch(message);
    });
});
