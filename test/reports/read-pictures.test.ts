import { expect, it } from "vitest";
import sharp from "sharp";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { BlobPart } from "../../gen/handrail/v1/result_pb.js";
import type { Outcome as Ran } from "../support/service.js";
import { onEachSandbox } from "./on-each-sandbox.js";

const RED = { r: 200, g: 20, b: 20 };

/** A plain picture, 40 × 20. */
function plain() {
  return sharp({ create: { width: 40, height: 20, channels: 3, background: RED } });
}

/** 60 frames of 8 × 8, black and white in turn. */
async function animatedGif(): Promise<Buffer> {
  const [side, frames] = [8, 60];
  const pixels = Buffer.alloc(side * side * 3 * frames);
  for (let frame = 1; frame < frames; frame += 2) {
    pixels.fill(255, frame * side * side * 3, (frame + 1) * side * side * 3);
  }
  const raw = { width: side, height: side * frames, channels: 3, pageHeight: side } as const;
  return await sharp(pixels, { raw }).gif().toBuffer();
}

/** A BMP of one pixel. */
function bmp(): Buffer {
  const bytes = Buffer.alloc(58);
  bytes.write("BM", 0, "latin1");
  for (const [at, value] of [
    [2, 58],
    [10, 54],
    [14, 40],
    [18, 1],
    [22, 1],
    [34, 4],
  ] as const) {
    bytes.writeUInt32LE(value, at);
  }
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** The first box of a HEIC file. */
function heic(): Buffer {
  const box = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  return Buffer.concat([box, Buffer.alloc(400, 7)]);
}

function blobsOf({ result }: Ran): BlobPart[] {
  return result.content.flatMap(({ part }) => (part.case === "blob" ? [part.value] : []));
}

onEachSandbox("read of pictures", ({ bash, read }) => {
  const put = async (path: string, bytes: Uint8Array) => {
    const { result } = await bash(
      `base64 -d > ${path} <<'EOT'\n${Buffer.from(bytes).toString("base64")}\nEOT`,
    );
    expect(result.outcome).toBe(Outcome.OK);
  };

  it.concurrent("takes the type of a picture from its bytes, not from its name (B047)", async () => {
    await put("b.png", await plain().webp().toBuffer());
    const [blob] = blobsOf(await read("b.png"));
    expect(blob?.mediaType).toBe("image/webp");
    expect((await sharp(blob?.data).metadata()).format).toBe("webp");
  });

  it.concurrent("shows text that is named as a picture as text (B047)", async () => {
    await bash(
      `echo '<svg xmlns="http://www.w3.org/2000/svg"/>' > a.png; echo '<!doctype html><p>hi</p>' > c.gif`,
    );
    for (const [path, text] of [
      ["a.png", "<svg xmlns="],
      ["c.gif", "<!doctype html>"],
    ] as const) {
      const ran = await read(path);
      expect([ran.result.outcome, blobsOf(ran).length]).toEqual([Outcome.OK, 0]);
      expect(ran.text).toContain(text);
    }
  });

  it.concurrent("attaches nothing of a picture that is empty, cut or no picture (B047)", async () => {
    const whole = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: RED,
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    await put("cut.png", whole.subarray(0, Math.floor(whole.length / 2)));
    await put("bad.jpg", Buffer.from("00ffd2a177e80c9931ff", "hex"));
    await bash(
      ": > empty.png; head -c 40 /dev/urandom > random.jpg; echo >> random.jpg; printf '\\0\\1' >> random.jpg",
    );
    for (const path of ["empty.png", "cut.png", "bad.jpg", "random.jpg"]) {
      const ran = await read(path);
      expect([path, ran.result.outcome, blobsOf(ran).length]).toEqual([path, Outcome.TOOL_ERROR, 0]);
      expect(ran.result.error?.message).toContain(path);
    }
  });

  it.concurrent("shows SVG as text (B169)", async () => {
    await bash(
      `echo '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>' > logo.svg`,
    );
    const ran = await read("logo.svg");
    expect([ran.result.outcome, blobsOf(ran).length]).toEqual([Outcome.OK, 0]);
    expect(ran.text).toContain('<circle r="1"/>');
  });

  it.concurrent("shows one frame of an animation and says so (B169)", async () => {
    await put("moving.gif", await animatedGif());
    const ran = await read("moving.gif");
    const [blob] = blobsOf(ran);
    expect(["image/gif", "image/png", "image/jpeg", "image/webp"]).toContain(blob?.mediaType);
    expect((await sharp(blob?.data, { animated: true }).metadata()).pages ?? 1).toBe(1);
    expect(ran.text).toContain("60");
  });

  it.concurrent("turns a picture upright as its camera said (B169)", async () => {
    await put("turned.jpg", await plain().withMetadata({ orientation: 6 }).jpeg().toBuffer());
    const [blob] = blobsOf(await read("turned.jpg"));
    expect([blob?.width, blob?.height]).toEqual([20, 40]);
    const { width, height, orientation = 1 } = await sharp(blob?.data).metadata();
    expect([width, height, orientation]).toEqual([20, 40, 1]);
  });

  it.concurrent("converts TIFF to what a model can be shown (B169)", async () => {
    await put("scan.tiff", await plain().tiff().toBuffer());
    const ran = await read("scan.tiff");
    const [blob] = blobsOf(ran);
    expect(blob?.mediaType).toMatch(/^image\/(png|jpeg|webp)$/);
    expect(blob?.mediaType).toBe(`image/${(await sharp(blob?.data).metadata()).format}`);
    expect(ran.text).toContain("converted from TIFF");
  });

  it.concurrent("refuses BMP and HEIC by name (B169)", async () => {
    await put("x.dat", bmp());
    await put("photo.dat", heic());
    for (const [path, name] of [
      ["x.dat", /BMP/i],
      ["photo.dat", /HEI[CF]/i],
    ] as const) {
      const ran = await read(path);
      expect([ran.result.outcome, blobsOf(ran).length]).toEqual([Outcome.TOOL_ERROR, 0]);
      expect(ran.result.error?.message).toMatch(name);
    }
  });
});
