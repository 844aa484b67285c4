import { describe, expect, it } from "vitest";
import { createMasker } from "../../src/secrets/masker.js";

describe("secrets that overlap", () => {
  it("of one that contains another the longer wins, at each of its ends and inside", () => {
    for (const inner of ["hunter", "ter22", "nter2"]) {
      const masker = createMasker([
        { name: "INNER", value: inner },
        { name: "OUTER", value: "hunter22" },
      ]);
      expect(masker.text(`hunter22 ${inner}`)).toBe("[secret:OUTER] [secret:INNER]");
    }
  });

  it("of one inside another is masked where the other begins and does not end", () => {
    const masker = createMasker([
      { name: "OUTER", value: "hunter22" },
      { name: "INNER", value: "nter" },
    ]);
    expect(masker.text("hunter23")).toBe("hu[secret:INNER]23");
  });

  it("the leftmost wins, and nothing of the other is left", () => {
    const masker = createMasker([
      { name: "B", value: "cdefghijk" },
      { name: "A", value: "abcdef" },
    ]);
    expect(masker.text("-abcdefghijk-")).toBe("-[secret:A]-");
  });

  it("side by side have a mask each", () => {
    const masker = createMasker([{ name: "A", value: "alpha-" }]);
    expect(masker.text("alpha-alpha-")).toBe("[secret:A][secret:A]");
  });

  it("a value that meets itself after a part of it leaves no rest", () => {
    const masker = createMasker([{ name: "A", value: "abcabc" }]);
    expect(masker.text("abcabcabcab")).toBe("[secret:A]ab");
  });

  it("a value that overlaps itself leaves no rest", () => {
    const masker = createMasker([{ name: "A", value: "aaaaaa" }]);
    expect(masker.text(`b${"a".repeat(9)}b`)).toBe("b[secret:A]b");
  });
});

describe("a secret that is part of the mask of another", () => {
  const masker = createMasker([
    { name: "A", value: "secret" },
    { name: "B", value: "ret:LONG" },
    { name: "LONG_NAME", value: "other-value" },
  ]);

  it("is masked where it stands for itself", () => {
    expect(masker.text("a secret ret:LONG")).toBe("a [secret:A] [secret:B]");
  });

  it("leaves masks whole, however often they pass", () => {
    const once = masker.text("other-value secret other-value");
    expect(once).toBe("[secret:LONG_NAME] [secret:A] [secret:LONG_NAME]");
    expect(masker.text(once)).toBe(once);
  });

  it("hides what goes on behind the mask", () => {
    const tail = createMasker([
      { name: "A", value: "B]tail-of-value" },
      { name: "B", value: "other-value" },
    ]);
    expect(tail.text("[secret:B]tail-of-value")).toBe("[secret:B]");
  });
});
