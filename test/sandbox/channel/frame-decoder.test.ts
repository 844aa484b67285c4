import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrames } from "../../../src/sandbox/channel/frame.js";
import type { Frame, FrameKind } from "../../../src/sandbox/channel/frame.js";
import { FrameDecoder } from "../../../src/sandbox/channel/frame-decoder.js";

const frameOf: fc.Arbitrary<Frame> = fc.record({
  kind: fc.constantFrom<FrameKind>(0, 1, 2),
  payload: fc.uint8Array({ maxLength: 40 }),
});

function decodeAll(chunks: readonly Uint8Array[]): Frame[] {
  const decoder = new FrameDecoder();
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    decoder.push(chunk);
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) frames.push(frame);
  }
  return frames;
}

describe("FrameDecoder", () => {
  it("finds the same frames however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(frameOf, { maxLength: 20 }),
        fc.integer({ min: 1, max: 60 }),
        (frames, chunkBytes) => {
          const bytes = encodeFrames(...frames);
          const chunks: Uint8Array[] = [];
          for (let at = 0; at < bytes.length; at += chunkBytes)
            chunks.push(bytes.subarray(at, at + chunkBytes));
          expect(decodeAll(chunks).map(({ kind, payload }) => ({ kind, payload: [...payload] }))).toEqual(
            frames.map(({ kind, payload }) => ({ kind, payload: [...payload] })),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("takes a message of 1 MiB in single bytes in less than a second of work", () => {
    const bytes = encodeFrames({ kind: 0, payload: new Uint8Array(1024 * 1024) });
    const decoder = new FrameDecoder();
    const before = process.cpuUsage();
    for (let at = 0; at < bytes.length; at += 1) {
      decoder.push(bytes.subarray(at, at + 1));
      if (at < bytes.length - 1 && decoder.next() !== undefined) throw new Error("too early");
    }
    expect(decoder.next()?.payload.length).toBe(1024 * 1024);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it("takes 1 MB of small frames in single bytes before one is asked for in less than a second of work", () => {
    const bytes = Buffer.alloc(1_000_000, Buffer.from([2, 0, 0, 0, 0]));
    const decoder = new FrameDecoder();
    const before = process.cpuUsage();
    for (let at = 0; at < bytes.length; at += 1) decoder.push(bytes.subarray(at, at + 1));
    let frames = 0;
    while (decoder.next() !== undefined) frames += 1;
    expect(frames).toBe(200_000);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it("refuses a frame above the limit from its header alone", () => {
    expect(() => decodeAll([Buffer.from([0, 0, 0x40, 0, 1])])).toThrow(
      "a message of 4194305 bytes is above the limit of 4194304 bytes",
    );
  });

  it("refuses an unknown kind", () => {
    expect(() => decodeAll([Buffer.from([9, 0, 0, 0, 0])])).toThrow("9 is not a kind of frame");
  });
});
