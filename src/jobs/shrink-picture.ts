import sharp from "sharp";
import { encodePicture, type EncodedPicture, type Pixels } from "./encode-picture.js";
import { damaged, decodeOptions, inspectPicture, type InspectedPicture } from "./inspect-picture.js";
import type { PictureInfo, PictureRequest } from "./picture-request.js";

/** A picture that a model can be shown. */
export interface ShrunkPicture {
  readonly info: PictureInfo;
  readonly bytes: Uint8Array;
}

const MEDIA_TYPES = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
} as const;

/**
 * Makes a picture fit to be shown to a model: one upright frame, in a common format, within the limits. One that fits
 * already is decoded to see that it is whole and passed on byte for byte. Throws JobRefusal.
 */
export async function shrinkPicture(bytes: Uint8Array, request: PictureRequest): Promise<ShrunkPicture> {
  const picture = await inspectPicture(bytes, request);
  const { width, height, type } = picture;
  const originals = { originalWidth: width, originalHeight: height };
  const mediaType = passingMediaType(bytes, picture, request);
  const pixels = await decodePixels(bytes, picture, request);
  if (mediaType !== undefined) return { info: { mediaType, width, height, ...originals, notes: [] }, bytes };
  const encoded = await encodePicture(pixels, { type, maxBytes: request.maxBytes });
  const { mediaType: encodedType, width: encodedWidth, height: encodedHeight } = encoded;
  const info = { mediaType: encodedType, width: encodedWidth, height: encodedHeight, ...originals };
  return { info: { ...info, notes: notesOn(picture, encoded) }, bytes: encoded.bytes };
}

/** The media type of a picture that needs no change, else undefined. */
function passingMediaType(
  bytes: Uint8Array,
  { type, width, height, frames, orientation, metadata }: InspectedPicture,
  { maxBytes, maxSidePixels }: PictureRequest,
): PictureInfo["mediaType"] | undefined {
  if (type === "tiff" || type === "avif") return undefined;
  const fits = bytes.length <= maxBytes && Math.max(width, height) <= maxSidePixels;
  const plain = frames === 1 && orientation === 1 && metadata.space !== "cmyk";
  return fits && plain ? MEDIA_TYPES[type] : undefined;
}

function decodePixels(
  bytes: Uint8Array,
  { type }: InspectedPicture,
  request: PictureRequest,
): Promise<Pixels> {
  const side = request.maxSidePixels;
  return sharp(bytes, decodeOptions(request))
    .autoOrient()
    .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw damaged(type, error);
    });
}

function notesOn(picture: InspectedPicture, encoded: EncodedPicture): string[] {
  const { type, width, height, frames, orientation } = picture;
  const name = type.toUpperCase();
  const encodedName = encoded.mediaType.slice("image/".length).toUpperCase();
  const scaled = encoded.width !== width || encoded.height !== height;
  return [
    ...(frames > 1 ? [`first of ${frames} ${type === "tiff" ? "pages" : "frames"}`] : []),
    ...(orientation === 1 ? [] : [`turned upright (EXIF orientation ${orientation})`]),
    ...(scaled ? [`scaled from ${width} x ${height} to ${encoded.width} x ${encoded.height} pixels`] : []),
    ...(name === encodedName ? [] : [`converted from ${name} to ${encodedName}`]),
  ];
}
