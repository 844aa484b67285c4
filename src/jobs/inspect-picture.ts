import sharp, { type Metadata, type SharpOptions } from "sharp";
import type { PictureType } from "../text/media-signatures.js";
import { sniffPicture } from "../text/sniff-media.js";
import type { PictureRequest } from "./picture-request.js";
import { JobRefusal } from "./serve-job.js";

/** Formats that are prepared. */
export type AcceptedPictureType = "png" | "jpeg" | "gif" | "webp" | "tiff" | "avif";

/** What is known of a picture before its pixels are decoded. */
export interface InspectedPicture {
  readonly type: AcceptedPictureType;
  readonly metadata: Metadata;
  /** Size in pixels, upright. */
  readonly width: number;
  readonly height: number;
  /** Frames or pages, at least 1. */
  readonly frames: number;
  /** EXIF orientation, 1 to 8; 1 is upright. */
  readonly orientation: number;
}

const HEAD_BYTES = 4160;

/** Options for sharp: the first frame only, damage is an error. */
export function decodeOptions({ maxInputPixels }: PictureRequest): SharpOptions {
  return { limitInputPixels: maxInputPixels, failOn: "error", page: 0, pages: 1 };
}

/** Tells the format by content and the size by header. Throws JobRefusal for what cannot be prepared. */
export async function inspectPicture(bytes: Uint8Array, request: PictureRequest): Promise<InspectedPicture> {
  const type = acceptedType(bytes);
  const metadata = await sharp(bytes, { limitInputPixels: false, failOn: "error" })
    .metadata()
    .catch((error: unknown) => {
      throw damaged(type, error);
    });
  const { width, height } = metadata.autoOrient;
  if (width * height > request.maxInputPixels) {
    const limit = `the limit of ${request.maxInputPixels} pixels in all`;
    throw new JobRefusal(`the picture has ${width} x ${height} pixels, above ${limit}: scale it down first`);
  }
  return {
    type,
    metadata,
    width,
    height,
    frames: metadata.pages ?? 1,
    orientation: metadata.orientation ?? 1,
  };
}

/** The refusal of a picture that could not be decoded. */
export function damaged(type: AcceptedPictureType, error: unknown): JobRefusal {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return new JobRefusal(
    `the ${type.toUpperCase()} picture is damaged or incomplete (${reason.slice(0, 120)})`,
    {
      cause: error,
    },
  );
}

function acceptedType(bytes: Uint8Array): AcceptedPictureType {
  if (bytes.length === 0) throw new JobRefusal("the picture is empty: it has 0 bytes");
  const type: PictureType | undefined = sniffPicture(bytes.subarray(0, HEAD_BYTES));
  if (type === undefined) throw new JobRefusal("the bytes are no picture: no known format starts like this");
  if (type === "svg") throw new JobRefusal("SVG is text, not pixels: read it as text");
  if (type === "bmp" || type === "heic") {
    throw new JobRefusal(`${type.toUpperCase()} pictures are not supported: convert it to PNG or JPEG first`);
  }
  return type;
}
