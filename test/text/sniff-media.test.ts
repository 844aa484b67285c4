import { readFileSync } from "node:fs";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { sniffBinary, sniffPicture } from "../../src/text/sniff-media.js";

const red = sharp({ create: { width: 4, height: 4, channels: 3, background: "red" } });
const bytes = (text: string) => Buffer.from(text, "latin1");

describe("sniffPicture", () => {
  for (const type of ["png", "jpeg", "gif", "webp", "tiff", "avif"] as const) {
    test(`knows a real ${type} by its first 32 bytes`, async () => {
      const file = await red.clone().toFormat(type).toBuffer();
      expect(sniffPicture(file.subarray(0, 32))).toBe(type);
    });
  }

  for (const [what, head, type] of [
    ["a bmp", "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "bmp"],
    ["a heic", "\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic"],
    ["an avif of the generic brand", "\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", "avif"],
    ["an svg", '<svg xmlns="http://www.w3.org/2000/svg"/>', "svg"],
    ["an svg with prolog", '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<svg width="1">', "svg"],
    ["a page", "<!DOCTYPE html><html><svg></svg></html>", undefined],
    ["text that starts like a bmp", "BMW is a car maker", undefined],
    ["nothing", "", undefined],
  ] as const) {
    test(`takes ${what} for ${type ?? "no picture"}`, () => expect(sniffPicture(bytes(head))).toBe(type));
  }

  test("takes linear time on an endless row of comments", () => {
    const start = performance.now();
    expect(sniffPicture(bytes("<!---->".repeat(600)))).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(50);
  });
});

describe("sniffBinary", () => {
  test("knows the running Node as an ELF executable", () => {
    expect(sniffBinary(readFileSync(process.execPath).subarray(0, 4160))).toBe("ELF executable");
  });

  for (const [name, head] of [
    ["PDF document", "%PDF-1.7\n"],
    ["ZIP archive", "PK\x03\x04\x14\0"],
    ["Word document", "PK\x03\x04\x14\0\x06\0\x08\0word/document.xml"],
    ["gzip archive", "\x1f\x8b\x08\0"],
    ["SQLite database", "SQLite format 3\0"],
    ["WebAssembly module", "\0asm\x01\0\0\0"],
    ["MP4 media", "\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41"],
    ["WAV audio", "RIFF\x24\0\0\0WAVEfmt "],
    ["PNG picture", "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"],
    ["tar archive", `${"a\0".repeat(128)}\0ustar`],
  ] as const) {
    test(`names a ${name}`, () => expect(sniffBinary(bytes(head))).toBe(name));
  }

  test("never throws", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (head) => void sniffBinary(head)));
  });
});
