import { describe, expect, it } from "vitest";
import { createMasker } from "../../src/secrets/masker.js";
import { TRICKY, encodingsOf } from "./fixture.js";

const masker = createMasker([{ name: "KEY", value: TRICKY }]);

describe("createMasker", () => {
  for (const [name, form] of Object.entries(encodingsOf(TRICKY))) {
    it(`masks ${name}`, () => expect(masker.text(`a ${form}.`)).toBe("a [secret:KEY]."));
  }

  for (const [name, form] of Object.entries(encodingsOf("line one\nline\ttwo\r\nend"))) {
    it(`masks ${name} of a value with line ends`, () => {
      const lines = createMasker([{ name: "LINES", value: "line one\nline\ttwo\r\nend" }]);
      expect(lines.text(`<${form}>`)).toBe("<[secret:LINES]>");
    });
  }

  it("masks a value with the white space around it, and without", () => {
    const padded = createMasker([{ name: "PADDED", value: "  hunter22\n" }]);
    expect(padded.text("<  hunter22\n><hunter22>")).toBe("<[secret:PADDED]><[secret:PADDED]>");
  });

  it("masks the base64 of a value with the white space around it", () => {
    const value = "  hunter22\n";
    const padded = createMasker([{ name: "PADDED", value }]);
    expect(padded.text(`<${Buffer.from(value).toString("base64")}>`)).toBe("<[secret:PADDED]>");
  });

  it("masks a value whose line ends became CR LF, as a terminal writes them", () => {
    const lines = createMasker([{ name: "LINES", value: "one\ntwo\nthree" }]);
    expect(lines.text("<one\r\ntwo\r\nthree>")).toBe("<[secret:LINES]>");
  });

  it("masks each line of at least 16 characters of a value with several, and no shorter one", () => {
    const lines = createMasker([{ name: "LINES", value: `${"x".repeat(16)}\n${"y".repeat(15)}\n` }]);
    expect(lines.text(`${"x".repeat(16)} ${"y".repeat(15)}`)).toBe(`[secret:LINES] ${"y".repeat(15)}`);
  });

  it("masks the base64 and the hex of a line", () => {
    const line = "MIIEvQIBADANBgkqhkiG";
    const lines = createMasker([{ name: "LINES", value: `${line}\nshort` }]);
    const bytes = Buffer.from(line);
    expect(lines.text(`<${bytes.toString("base64")}><${bytes.toString("hex")}>`)).toBe(
      "<[secret:LINES]><[secret:LINES]>",
    );
  });

  it("leaves the first and last line of a PEM block alone where the block is not a secret", () => {
    const pem = (body: string) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
    const key = createMasker([{ name: "PEM", value: pem("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC") }]);
    expect(key.text(pem("another"))).toBe(pem("another"));
    expect(key.text(pem("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"))).toBe("[secret:PEM]");
  });

  it("gives every value its own mask", () => {
    const two = createMasker([
      { name: "A", value: "alpha-1" },
      { name: "B", value: "bravo-2" },
    ]);
    expect(two.text("bravo-2alpha-1alpha-1")).toBe("[secret:B][secret:A][secret:A]");
  });

  it("names the first of two secrets with one value", () => {
    const two = createMasker([
      { name: "A", value: "same-value" },
      { name: "B", value: "same-value" },
    ]);
    expect(two.text("same-value")).toBe("[secret:A]");
  });

  it("takes characters of patterns for what they are", () => {
    const pattern = createMasker([{ name: "RE", value: "a.*[b]$&" }]);
    expect(pattern.text("axx[b]$& a.*[b]$&")).toBe("axx[b]$& [secret:RE]");
  });
});

describe("a short value", () => {
  it("of 3 characters is not masked, also with white space around it", () => {
    const three = createMasker([{ name: "T", value: "  abc  " }]);
    expect(three.text("  abc  ")).toBe("  abc  ");
    expect(three.isEmpty).toBe(true);
  });

  it("of 4 or 5 characters is masked as it is alone", () => {
    for (const value of ["a/cd", "a/cde"]) {
      const { base64, "lower hex": hex, "percent-encoding": percent } = encodingsOf(value);
      const text = `${base64} ${hex} ${percent}`;
      expect(createMasker([{ name: "S", value }]).text(`${value} ${text}`)).toBe(`[secret:S] ${text}`);
    }
  });

  it("of 6 characters is masked in base64 too", () => {
    expect(createMasker([{ name: "S", value: "abcdef" }]).text("YWJjZGVm")).toBe("[secret:S]");
  });
});

describe("a masker without secrets", () => {
  const empty = createMasker([]);

  it("is empty, and one with a secret is not", () => {
    expect([empty.isEmpty, masker.isEmpty]).toEqual([true, false]);
  });

  it("returns the very chunk it was given", () => {
    const chunk = Buffer.from("x");
    const stream = empty.byteStream();
    expect(stream.push(chunk)).toBe(chunk);
    expect(stream.flush()).toHaveLength(0);
    expect(empty.text("x") + empty.textStream().push("y") + empty.textStream().flush()).toBe("xy");
  });
});
