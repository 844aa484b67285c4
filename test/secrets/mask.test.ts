import { describe, expect, it } from "vitest";
import { containsMask, maskOf } from "../../src/secrets/mask.js";

describe("maskOf", () => {
  it("names the secret", () => expect(maskOf("API_KEY")).toBe("[secret:API_KEY]"));
});

describe("containsMask", () => {
  for (const name of ["API_KEY", "my.key-2", "clé"]) {
    it(`finds the mask of ${name} inside a text`, () =>
      expect(containsMask(`const key = "${maskOf(name)}";`)).toBe(true));
  }

  for (const text of ["", "[secret:]", "[secret: see below]", "[secret:\n]", "[secret:[a]", "secret:A"]) {
    it(`finds none in ${JSON.stringify(text)}`, () => expect(containsMask(text)).toBe(false));
  }

  it("looks through 1 MB of beginnings of masks in less than a second of work", () => {
    const text = "[secret:".repeat(125_000);
    const before = process.cpuUsage();
    expect(containsMask(text)).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
