import { describe, expect, it } from "vitest";
import { createMasker } from "../../src/secrets/masker.js";
import { TRICKY, maskChunks, maskTextChunks, textWithAll } from "./fixture.js";

const secrets = [
  { name: "KEY", value: TRICKY },
  { name: "LINES", value: "first line of 16 or more\nsecond é line\n" },
  { name: "SHORT", value: "abcd" },
  { name: "REPEATED", value: "abababab" },
];
const masker = createMasker(secrets);
const wrapped = Buffer.from(`no ${TRICKY} no`).toString("base64").replace(/.{20}/g, "$&\r\n");
const text = `${textWithAll(secrets.map(({ value }) => value))}ababababababa abcabcd\n${wrapped}\n`;
const bytes = Buffer.from(text);
const whole = masker.text(text);

describe("a stream of bytes", () => {
  it("cut in two at any place is masked as the whole text", () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const masked = maskChunks(masker, [bytes.subarray(0, cut), bytes.subarray(cut)]).toString();
      if (masked !== whole) expect([cut, masked]).toEqual([cut, whole]);
    }
  });

  it("in chunks of any size is masked as the whole text", () => {
    for (let size = 1; size < 80; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(maskChunks(masker, chunks).toString()).toBe(whole);
    }
  });

  it("holds masks for all, and no multi-byte character is damaged", () => {
    for (const { name } of secrets) expect(whole).toContain(`[secret:${name}]`);
    expect(whole).not.toContain("\ufffd");
    expect(whole.match(/😀\n/g)).toHaveLength(text.match(/, 😀\n/g)?.length ?? 0);
  });

  it("with every byte value and no secret passes unchanged, invalid UTF-8 too", () => {
    const all = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 89 + (index >> 8)) & 0xff));
    expect(maskChunks(masker, [all]).equals(all)).toBe(true);
    expect(
      maskChunks(
        masker,
        [...all].map((byte) => Uint8Array.of(byte)),
      ).equals(all),
    ).toBe(true);
  });

  it("keeps invalid UTF-8 on both sides of a match", () => {
    const around = (middle: string) =>
      Buffer.concat([Buffer.from([0xff, 0xe2, 0x82]), Buffer.from(middle), Buffer.from([0x80, 0xf0])]);
    expect(maskChunks(masker, [around(TRICKY)])).toEqual(around("[secret:KEY]"));
  });

  it("returns the very chunk when nothing in it can be part of a secret", () => {
    const chunk = Buffer.from("nothing to see here.\n");
    expect(masker.byteStream().push(chunk)).toBe(chunk);
  });

  it("does not take a chunk for untouched that lies beside the mask in memory and is as long", () => {
    const value = "x".repeat("[secret:N]".length);
    const same = createMasker([{ name: "N", value }]);
    expect(maskChunks(same, [Buffer.from(value)]).toString()).toBe("[secret:N]");
  });

  it("holds back only what may become a match", () => {
    const stream = masker.byteStream();
    expect(Buffer.from(stream.push(Buffer.from("see first line of"))).toString()).toBe("see ");
    expect(Buffer.from(stream.push(Buffer.from(" all"))).toString()).toBe("first line of all");
    expect(stream.flush()).toHaveLength(0);
  });

  it("keeps no view of a chunk, so that its memory may be used again", () => {
    const stream = masker.byteStream();
    const chunk = Buffer.from("see first line of");
    const first = Buffer.from(stream.push(chunk));
    chunk.fill(0);
    const rest = stream.push(Buffer.from(" all"));
    expect(Buffer.concat([first, rest]).toString()).toBe("see first line of all");
  });

  it("begins another stream after a flush", () => {
    const stream = masker.byteStream();
    const first = Buffer.concat([stream.push(Buffer.from("ab")), stream.flush()]);
    const second = Buffer.concat([stream.push(Buffer.from("cd abcd")), stream.flush()]);
    expect([first.toString(), second.toString()]).toEqual(["ab", "cd [secret:SHORT]"]);
  });
});

describe("a stream of text", () => {
  it("cut in two at any place, also inside a pair of surrogates, is masked as the whole text", () => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const masked = maskTextChunks(masker, [text.slice(0, cut), text.slice(cut)]);
      if (masked !== whole) expect([cut, masked]).toEqual([cut, whole]);
    }
  });

  it("of single units is masked as the whole text", () => {
    expect(maskTextChunks(masker, text.split(""))).toBe(whole);
  });

  it("keeps surrogates without a partner", () => {
    const lone = `\ud83d abcd \ude00\ud83d\ud83d\ude00abcd\ud83d`;
    const expected = lone.replaceAll("abcd", "[secret:SHORT]");
    expect(masker.text(lone)).toBe(expected);
    expect(maskTextChunks(masker, lone.split(""))).toBe(expected);
  });

  it("keeps a byte order mark", () => {
    expect(masker.text("\ufeffabcd")).toBe("\ufeff[secret:SHORT]");
  });
});
