import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeText } from "../../src/text/decode-text.js";
import { createFileDecoder } from "../../src/text/file-decoder.js";
import { StreamDecoder } from "../../src/text/stream-decoder.js";

const utf8 = (text: string) => Buffer.from(text, "utf8");
const latin1 = (text: string) => Buffer.from(text, "latin1");

/** Encodes by iconv, which knows the charsets that Node only decodes. */
function encode(text: string, charset: string): Buffer {
  return execFileSync("iconv", ["-f", "UTF-8", "-t", charset], { input: text });
}

describe("decodeText", () => {
  test("reads UTF-8 without a flag", () => {
    expect(decodeText(utf8("漢字かな😀\n"), { layout: "bytes" })).toEqual({
      text: "漢字かな😀\n",
      encoding: "utf-8",
      lossy: false,
    });
  });

  test("reads Latin-1 as é and flags it", () => {
    expect(decodeText(latin1("caf\xe9\n"), { layout: "bytes" })).toEqual({
      text: "café\n",
      encoding: "windows-1252",
      lossy: true,
    });
    expect(decodeText(latin1("caf\xe9"), { layout: "bytes" }).text).toBe("café");
  });

  test("reads the quotes and euro sign of windows-1252", () => {
    expect(decodeText(latin1("\x93\x80 5\x94\n"), { layout: "bytes" }).text).toBe("“€ 5”\n");
  });

  const japanese = "日本語の文章です。これはテストのための文書であり、文字コードの判定に使われます。";
  const chinese = "这是一个用于测试字符编码检测的中文文本，包含常用汉字和标点符号。我们希望它能被正确识别。";
  const taiwanese =
    "這是一個用於測試字元編碼偵測的中文文本，包含常用漢字和標點符號。我們希望它能被正確識別。";
  const korean =
    "이것은 문자 인코딩 감지를 테스트하기 위한 한국어 텍스트입니다. 올바르게 인식되기를 바랍니다.";
  const russian =
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Это обычный русский текст, привет.";
  for (const [charset, text, encoding, lossy] of [
    ["SHIFT_JIS", japanese, "shift_jis", false],
    ["EUC-JP", japanese, "euc-jp", false],
    ["GBK", chinese, "gb18030", false],
    ["BIG5", taiwanese, "big5", false],
    ["EUC-KR", korean, "euc-kr", false],
    ["CP1251", russian, "windows-1251", true],
    ["KOI8-R", russian, "koi8-r", true],
  ] as const) {
    test(`finds ${charset}${lossy ? " and flags it as a guess" : ""}`, () => {
      expect(decodeText(encode(text, charset), { layout: "bytes" })).toEqual({ text, encoding, lossy });
    });
  }

  test("reads UTF-16 in both orders", () => {
    const little = Buffer.from("hi 漢😀", "utf16le");
    expect(decodeText(little, { layout: "utf16le" })).toEqual({
      text: "hi 漢😀",
      encoding: "utf-16le",
      lossy: false,
    });
    const big = Buffer.from(little).swap16();
    expect(decodeText(big, { layout: "utf16be" })).toEqual({
      text: "hi 漢😀",
      encoding: "utf-16be",
      lossy: false,
    });
  });

  test("shows an odd last byte of UTF-16 as one U+FFFD and flags it", () => {
    const odd = Buffer.concat([Buffer.from("hi", "utf16le"), Buffer.of(0x41)]);
    expect(decodeText(odd, { layout: "utf16le" })).toEqual({
      text: "hi\ufffd",
      encoding: "utf-16le",
      lossy: true,
    });
  });

  test("stays with UTF-8 when few bytes are damaged, and flags it", () => {
    const damaged = Buffer.concat([utf8("漢字かな漢字"), Buffer.of(0xff), utf8("かな")]);
    expect(decodeText(damaged, { layout: "bytes" })).toEqual({
      text: "漢字かな漢字\ufffdかな",
      encoding: "utf-8",
      lossy: true,
    });
  });

  test("does not flag a U+FFFD that the file spells", () => {
    expect(decodeText(utf8("a\ufffdb"), { layout: "bytes" }).lossy).toBe(false);
  });

  for (const size of [510, 511, 512, 513, 514, 4094, 4095, 4096, 4097, 4098, 8190, 65534, 65535, 65536]) {
    test(`takes UTF-8 whose window ends at byte ${size} for text`, () => {
      const whole = utf8("a".repeat(509) + "漢字かな".repeat(6000));
      const window = whole.subarray(0, size);
      const { text, encoding, lossy } = decodeText(window, {
        layout: "bytes",
        head: whole.subarray(0, 4160),
        cutEnd: true,
      });
      expect({ encoding, lossy }).toEqual({ encoding: "utf-8", lossy: false });
      expect(text).not.toContain("\ufffd");
      expect(whole.toString("utf8").startsWith(text)).toBe(true);
    });
  }
});

describe("createFileDecoder", () => {
  test("reads all lines in the one encoding that the file as a whole shows", () => {
    const lines = [{ data: latin1("plain") }, { data: latin1("caf\xe9") }];
    const decoder = createFileDecoder({ layout: "bytes", head: latin1("plain\ncaf\xe9"), lines });
    expect(lines.map((line) => decoder.decode(line).text)).toEqual(["plain", "café"]);
    expect(decoder.encoding).toBe("windows-1252");
  });

  test("lets the head decide for lines that say nothing", () => {
    const head = encode("日本語の文章です。これはテストのための文書です。", "SHIFT_JIS");
    const line = { data: encode("判定", "SHIFT_JIS") };
    const decoder = createFileDecoder({ layout: "bytes", head, lines: [line] });
    expect(decoder.decode(line).text).toBe("判定");
  });

  test("trusts a byte order mark", () => {
    const line = { data: Buffer.of(0x61, 0xff) };
    const head = Buffer.of(0xef, 0xbb, 0xbf, 0x61, 0xff);
    const decoder = createFileDecoder({ layout: "bytes", head, bomBytes: 3, lines: [line] });
    expect(decoder).toMatchObject({ encoding: "utf-8", lossy: true });
    expect(decoder.decode(line).text).toBe("a\ufffd");
  });

  test("counts the bytes of characters that the edges of a long line cut", () => {
    const data = utf8("漢字かな").subarray(1, 11);
    const line = { data, cutStart: true, cutEnd: true };
    const decoder = createFileDecoder({ layout: "bytes", lines: [line] });
    expect(decoder.decode(line)).toEqual({ text: "字か", skippedStartBytes: 2, skippedEndBytes: 2 });
    expect(decoder.lossy).toBe(false);
  });

  for (const [layout, encodeWindow] of [
    ["bytes", utf8],
    ["utf16le", (text: string) => Buffer.from(text, "utf16le")],
    ["utf16be", (text: string) => Buffer.from(text, "utf16le").swap16()],
  ] as const) {
    test(`reads a long line of layout ${layout} in windows without loss`, () => {
      fc.assert(
        fc.property(
          fc.string({ unit: "grapheme", minLength: 1 }),
          fc.integer({ min: 6, max: 20 }),
          (text, size) => {
            const bytes = encodeWindow(text);
            let out = "";
            for (let at = 0; at < bytes.length;) {
              const data = bytes.subarray(at, at + size);
              const line = { data, cutStart: at > 0, cutEnd: at + size < bytes.length };
              const decoder = createFileDecoder({ layout, head: bytes.subarray(0, 40), lines: [line] });
              const piece = decoder.decode(line);
              expect(decoder.lossy).toBe(false);
              out += piece.text;
              at += data.length - piece.skippedEndBytes;
            }
            expect(out).toBe(text);
          },
        ),
      );
    });
  }

  test("leaves out the half character at the cut end of a legacy line", () => {
    const whole = encode("这是一个用于测试字符编码检测的中文文本", "GBK");
    const line = { data: whole.subarray(0, whole.length - 1), cutEnd: true };
    const decoder = createFileDecoder({ layout: "bytes", head: whole, lines: [line] });
    expect(decoder.decode(line)).toEqual({
      text: "这是一个用于测试字符编码检测的中文文",
      skippedStartBytes: 0,
      skippedEndBytes: 1,
    });
  });
});

describe("StreamDecoder", () => {
  const decodeAll = (...chunks: Uint8Array[]) => {
    const decoder = new StreamDecoder();
    return chunks.map((chunk) => decoder.push(chunk)).join("") + decoder.flush();
  };

  test("joins a character that is split over chunks", () => {
    expect(decodeAll(latin1("a\xe2\x82"), latin1("\xacb\n"))).toBe("a€b\n");
  });

  test("keeps streams apart", () => {
    const out = new StreamDecoder();
    const err = new StreamDecoder();
    const first = out.push(latin1("\xf0\x9f"));
    expect(err.push(latin1("err")) + err.flush()).toBe("err");
    expect(first + out.push(latin1("\x98\x80\n")) + out.flush()).toBe("😀\n");
  });

  test("ends a stream that stops inside a character with one U+FFFD", () => {
    expect(decodeAll(latin1("ok\xc3"))).toBe("ok\ufffd");
    expect(decodeAll(latin1("ok\xf0\x9f\x98"))).toBe("ok\ufffd");
  });

  test("shows invalid bytes as U+FFFD and keeps NUL and a byte order mark", () => {
    expect(decodeAll(latin1("\xed\xa0\x80"))).toBe("\ufffd\ufffd\ufffd");
    expect(decodeAll(latin1("x\0y\n"))).toBe("x\0y\n");
    expect(decodeAll(utf8("\ufeffa"))).toBe("\ufeffa");
  });

  test("gives well-formed text for any bytes, however they are chunked", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5 })), (chunks) => {
        const text = decodeAll(...chunks);
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(text).toBe(decodeAll(Buffer.concat(chunks)));
      }),
    );
  });

  test("reads 100,000 wide characters in chunks of 4,095 bytes without U+FFFD", () => {
    const bytes = utf8("漢".repeat(100_000));
    const chunks = Array.from({ length: Math.ceil(bytes.length / 4095) }, (_, index) =>
      bytes.subarray(index * 4095, (index + 1) * 4095),
    );
    expect(decodeAll(...chunks)).toBe("漢".repeat(100_000));
  });
});
