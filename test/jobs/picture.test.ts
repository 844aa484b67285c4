import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { createPictureRunner, preparePicture } from "../../src/jobs/picture.js";
import { sniffPicture } from "../../src/text/sniff-media.js";

const runner = createPictureRunner({
  scriptPath: fileURLToPath(new URL("../../src/jobs/picture-job.ts", import.meta.url)),
  execArgv: ["--import", "tsx"],
});
afterAll(() => runner.close());

const signal = new AbortController().signal;
const prepare = (bytes: Uint8Array, maxBytes?: number) =>
  preparePicture(bytes, { runner, signal, ...(maxBytes === undefined ? {} : { maxBytes }) });

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#3366cc" } });
const noise = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });

/** Standard deviation of the red values in 40 rows from `top` of a picture 100 pixels wide. */
async function spread(bytes: Uint8Array, top: number): Promise<number> {
  const part = sharp(bytes).extract({ left: 0, top, width: 100, height: 40 });
  const { channels } = await sharp(await part.png().toBuffer()).stats();
  return channels[0]!.stdev;
}

/** A PNG whose header claims a size, with hardly any data. */
function claimingPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body) >>> 0, 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const data = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A GIF of `frames` frames of noise. */
function animated(frames: number, format: "gif" | "webp"): Promise<Buffer> {
  const size = 32;
  const raw = { width: size, height: size * frames, channels: 3 as const, pageHeight: size };
  return sharp(randomBytes(size * size * 3 * frames), { raw })
    .toFormat(format, { loop: 0 })
    .toBuffer();
}

describe("preparePicture", () => {
  for (const format of ["png", "jpeg", "gif", "webp"] as const) {
    test(`passes a ${format} that fits byte for byte`, async () => {
      const bytes = await plain(300, 200).toFormat(format).toBuffer();
      const prepared = await prepare(bytes);
      expect(Buffer.compare(prepared.bytes, bytes)).toBe(0);
      expect(prepared).toMatchObject({
        mediaType: `image/${format}`,
        width: 300,
        height: 200,
        originalWidth: 300,
        originalHeight: 200,
        notes: [],
      });
    });
  }

  test("scales a large picture to 1,568 pixels on its longer side", async () => {
    const prepared = await prepare(await plain(2000, 3136).png().toBuffer());
    expect(prepared).toMatchObject({
      mediaType: "image/png",
      width: 1000,
      height: 1568,
      originalWidth: 2000,
      originalHeight: 3136,
      notes: ["scaled from 2000 x 3136 to 1000 x 1568 pixels"],
    });
    expect(await sharp(prepared.bytes).metadata()).toMatchObject({
      format: "png",
      width: 1000,
      height: 1568,
    });
  });

  test("turns a JPEG with orientation 6 upright", async () => {
    const left = await plain(50, 100).jpeg().toBuffer();
    const bytes = await noise(100, 100)
      .composite([{ input: left, left: 0, top: 0 }])
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const prepared = await prepare(bytes);
    expect(prepared.notes).toEqual(["turned upright (EXIF orientation 6)"]);
    expect((await sharp(prepared.bytes).metadata()).orientation).toBeUndefined();
    const [top, bottom] = await Promise.all([0, 50].map((y) => spread(prepared.bytes, y)));
    expect(top).toBeLessThan(10);
    expect(bottom).toBeGreaterThan(30);
  });

  test("tells the upright size of a turned JPEG", async () => {
    const bytes = await plain(300, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await prepare(bytes)).toMatchObject({
      width: 200,
      height: 300,
      originalWidth: 200,
      originalHeight: 300,
    });
  });

  test("shows the first of 60 frames of a GIF", async () => {
    const prepared = await prepare(await animated(60, "gif"));
    expect(prepared).toMatchObject({ mediaType: "image/png", width: 32, height: 32 });
    expect(prepared.notes).toEqual(["first of 60 frames", "converted from GIF to PNG"]);
  });

  test("shows the first frame of an animated WebP", async () => {
    const prepared = await prepare(await animated(3, "webp"));
    expect(prepared).toMatchObject({
      mediaType: "image/webp",
      width: 32,
      height: 32,
      notes: ["first of 3 frames"],
    });
    expect((await sharp(prepared.bytes).metadata()).pages ?? 1).toBe(1);
  });

  for (const [format, mediaType] of [
    ["tiff", "image/png"],
    ["avif", "image/jpeg"],
  ] as const) {
    test(`converts ${format} to ${mediaType}`, async () => {
      const prepared = await prepare(await plain(40, 30).toFormat(format).toBuffer());
      expect(prepared).toMatchObject({ mediaType, width: 40, height: 30 });
      expect(prepared.notes).toEqual([
        `converted from ${format.toUpperCase()} to ${mediaType.slice(6).toUpperCase()}`,
      ]);
    });
  }

  for (const [what, bytes] of [
    ["a noisy PNG", noise(800, 800).png().toBuffer()],
    ["a noisy PNG with transparency", noise(700, 700, 4).png().toBuffer()],
    ["a noisy JPEG", noise(1500, 1500).jpeg({ quality: 100 }).toBuffer()],
    ["a noisy WebP", noise(900, 900).webp({ quality: 100 }).toBuffer()],
  ] as const) {
    for (const maxBytes of [1_572_864, 100_000, 4_000]) {
      test(`makes ${what} fit into ${maxBytes} bytes`, async () => {
        const prepared = await prepare(await bytes, maxBytes);
        expect(prepared.bytes.length).toBeLessThanOrEqual(maxBytes);
        expect(prepared.mediaType).toBe(`image/${sniffPicture(prepared.bytes) ?? "none"}`);
        const { width, height } = await sharp(prepared.bytes).metadata();
        expect({ width, height }).toEqual({ width: prepared.width, height: prepared.height });
      });
    }
  }

  test("keeps transparency when a PNG must shrink", async () => {
    const prepared = await prepare(await noise(700, 700, 4).png().toBuffer(), 100_000);
    expect(prepared.mediaType).toBe("image/webp");
    expect((await sharp(prepared.bytes).metadata()).hasAlpha).toBe(true);
  });

  test("refuses a limit that no picture fits", async () => {
    await expect(prepare(await noise(64, 64).png().toBuffer(), 20)).rejects.toMatchObject({
      kind: "refused",
      message: "the picture cannot be made small enough for the limit of 20 bytes",
    });
  });

  for (const format of ["png", "jpeg", "gif", "webp", "tiff"] as const) {
    test(`refuses a ${format} that is cut off`, async () => {
      const whole = await noise(200, 200).toFormat(format).toBuffer();
      for (const part of [0.01, 0.5, 0.9]) {
        await expect(prepare(whole.subarray(0, Math.max(16, whole.length * part)))).rejects.toMatchObject({
          kind: "refused",
          message: expect.stringMatching(
            `^the ${format.toUpperCase()} picture is damaged or incomplete`,
          ) as string,
        });
      }
    });
  }

  test("refuses a PNG whose data is damaged", async () => {
    const bytes = await noise(100, 100).png().toBuffer();
    bytes.fill(0, bytes.length / 2, bytes.length / 2 + 500);
    await expect(prepare(bytes)).rejects.toMatchObject({ kind: "refused" });
  });

  for (const [what, bytes, message] of [
    ["an empty file", Buffer.alloc(0), "the picture is empty: it has 0 bytes"],
    ["random bytes", Buffer.alloc(40, 0x5a), "the bytes are no picture: no known format starts like this"],
    [
      "a page",
      Buffer.from("<!DOCTYPE html><html></html>"),
      "the bytes are no picture: no known format starts like this",
    ],
    [
      "an SVG",
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      "SVG is text, not pixels: read it as text",
    ],
    [
      "a BMP",
      Buffer.from("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "latin1"),
      "BMP pictures are not supported: convert it to PNG or JPEG first",
    ],
    [
      "a HEIC",
      Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
      "HEIC pictures are not supported: convert it to PNG or JPEG first",
    ],
    [
      "a PNG of 50,000 x 50,000 pixels",
      claimingPng(50_000, 50_000),
      "the picture has 50000 x 50000 pixels, above the limit of 100000000 pixels in all: scale it down first",
    ],
    [
      "a file of 33 MiB",
      Buffer.alloc(33 * 1024 * 1024),
      "the picture has 34603008 bytes, above the limit of 33554432 bytes: make it smaller first",
    ],
  ] as const) {
    test(`refuses ${what} in words`, async () => {
      const start = performance.now();
      await expect(prepare(bytes)).rejects.toMatchObject({ name: "JobError", kind: "refused", message });
      expect(performance.now() - start).toBeLessThan(1000);
    });
  }

  test("prepares a picture of 100 megapixels within its memory", async () => {
    const bytes = await plain(10_000, 10_000).png({ progressive: true }).toBuffer();
    expect(await prepare(bytes)).toMatchObject({ width: 1568, height: 1568, originalWidth: 10_000 });
  }, 30_000);
});
