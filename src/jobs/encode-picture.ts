import sharp, { type OutputInfo, type Sharp } from "sharp";
import type { AcceptedPictureType } from "./inspect-picture.js";
import { JobRefusal } from "./serve-job.js";

/** Decoded pixels. */
export interface Pixels {
  readonly data: Buffer;
  readonly info: OutputInfo;
}

/** A picture that was encoded to fit. */
export interface EncodedPicture {
  readonly mediaType: "image/png" | "image/jpeg" | "image/webp";
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

const QUALITIES = [85, 70, 50];
const SCALED_QUALITY = 70;
const MAX_SCALE_STEP = 0.8;
const MIN_SCALE_STEP = 0.25;
const MIN_SIDE_PIXELS = 16;
/** A PNG this many times too large is not tried with a palette. */
const PALETTE_REACH = 4;

/**
 * Encodes pixels to at most `maxBytes`: in the family of the original format first, then with less quality, then
 * smaller. Throws JobRefusal if even a thumbnail is too large.
 */
export async function encodePicture(
  pixels: Pixels,
  { type, maxBytes }: { type: AcceptedPictureType; maxBytes: number },
): Promise<EncodedPicture> {
  const image = open(pixels);
  const opaque = pixels.info.channels < 4 || (await image.stats()).isOpaque;
  const lossless = type === "png" || type === "gif" || type === "tiff";
  const png = lossless ? await encodePng(image, maxBytes) : undefined;
  if (png !== undefined) return describe("image/png", png);
  const lossy = opaque && type !== "webp" ? "image/jpeg" : "image/webp";
  let smallestBytes = Number.POSITIVE_INFINITY;
  for (const quality of QUALITIES) {
    const encoded = await encodeLossy(open(pixels), lossy, quality);
    if (encoded.data.length <= maxBytes) return describe(lossy, encoded);
    smallestBytes = encoded.data.length;
  }
  for (let scale = nextScale(1, smallestBytes, maxBytes); ;) {
    const width = Math.max(1, Math.round(pixels.info.width * scale));
    const height = Math.max(1, Math.round(pixels.info.height * scale));
    if (Math.max(width, height) < MIN_SIDE_PIXELS) break;
    const encoded = await encodeLossy(open(pixels).resize({ width, height }), lossy, SCALED_QUALITY);
    if (encoded.data.length <= maxBytes) return describe(lossy, encoded);
    scale = nextScale(scale, encoded.data.length, maxBytes);
  }
  throw new JobRefusal(`the picture cannot be made small enough for the limit of ${maxBytes} bytes`);
}

/** Bytes grow about with the area. */
function nextScale(scale: number, bytes: number, maxBytes: number): number {
  const step = Math.sqrt(maxBytes / bytes) * 0.95;
  return scale * Math.min(MAX_SCALE_STEP, Math.max(MIN_SCALE_STEP, step));
}

async function encodePng(image: Sharp, maxBytes: number): Promise<Pixels | undefined> {
  const full = await image.clone().png().toBuffer({ resolveWithObject: true });
  if (full.data.length <= maxBytes) return full;
  if (full.data.length > maxBytes * PALETTE_REACH) return undefined;
  const palette = await image.clone().png({ palette: true, effort: 4 }).toBuffer({ resolveWithObject: true });
  return palette.data.length <= maxBytes ? palette : undefined;
}

function encodeLossy(image: Sharp, mediaType: "image/jpeg" | "image/webp", quality: number): Promise<Pixels> {
  const encoder = mediaType === "image/jpeg" ? image.flatten().jpeg({ quality }) : image.webp({ quality });
  return encoder.toBuffer({ resolveWithObject: true });
}

function open({ data, info: { width, height, channels } }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

function describe(mediaType: EncodedPicture["mediaType"], { data, info }: Pixels): EncodedPicture {
  return { mediaType, bytes: data, width: info.width, height: info.height };
}
