import {
  BINARY_SIGNATURES,
  PICTURE_SIGNATURES,
  type PictureType,
  type Signature,
} from "./media-signatures.js";

const HEIC_BRANDS: ReadonlySet<string> = new Set([
  "heic",
  "heix",
  "hevc",
  "hevx",
  "heim",
  "heis",
  "mif1",
  "msf1",
]);
const AVIF_BRANDS: ReadonlySet<string> = new Set(["avif", "avis"]);
const SVG_START =
  /^\ufeff?\s*(?:<\?xml[^>]{0,512}>\s*)?(?:<!--(?:(?!-->)[^]){0,2048}-->\s*)*(?:<!DOCTYPE svg[^>]{0,1024}>\s*)?<svg[\s>/]/i;
const SVG_BYTES = 4096;

/** Tells a picture format by content, from at least the first 32 bytes; SVG may need 4 KiB. The name is not looked at. */
export function sniffPicture(head: Uint8Array): PictureType | undefined {
  const fixed = PICTURE_SIGNATURES.find((signature) => matches(head, signature));
  if (fixed !== undefined) return fixed.name;
  if (latin1(head, 0, 4) === "RIFF" && latin1(head, 8, 4) === "WEBP") return "webp";
  const brands = isoBrands(head);
  if (brands.some((brand) => AVIF_BRANDS.has(brand))) return "avif";
  if (brands.some((brand) => HEIC_BRANDS.has(brand))) return "heic";
  if (isBmp(head)) return "bmp";
  return SVG_START.test(latin1(head, 0, SVG_BYTES).replace(/^\xef\xbb\xbf/, "")) ? "svg" : undefined;
}

/** Names a binary format by content, for people: `ELF executable`. Undefined if it is not known. */
export function sniffBinary(head: Uint8Array): string | undefined {
  const picture = sniffPicture(head);
  if (picture !== undefined) return picture === "svg" ? undefined : `${picture.toUpperCase()} picture`;
  const fixed = BINARY_SIGNATURES.find((signature) => matches(head, signature));
  if (fixed !== undefined) return fixed.name === "ZIP archive" ? zipKind(head) : fixed.name;
  const riff = latin1(head, 0, 4) === "RIFF" ? latin1(head, 8, 4) : "";
  if (riff === "WAVE") return "WAV audio";
  if (riff === "AVI ") return "AVI video";
  const [brand] = isoBrands(head);
  if (brand === undefined) return undefined;
  return brand === "qt  " ? "QuickTime video" : "MP4 media";
}

function matches(head: Uint8Array, { at, bytes }: Signature<string>): boolean {
  return latin1(head, at, bytes.length) === bytes;
}

function latin1(head: Uint8Array, at: number, length: number): string {
  const part = head.subarray(at, at + length);
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("latin1");
}

/** Brands of an ISO media file, the major one first. */
function isoBrands(head: Uint8Array): string[] {
  if (latin1(head, 4, 4) !== "ftyp") return [];
  const size = Math.min(head.length, 64, (head[2] ?? 0) * 256 + (head[3] ?? 0));
  const brands = [latin1(head, 8, 4)];
  for (let at = 16; at + 4 <= size; at += 4) brands.push(latin1(head, at, 4));
  return brands;
}

function isBmp(head: Uint8Array): boolean {
  if (latin1(head, 0, 2) !== "BM" || latin1(head, 6, 4) !== "\0\0\0\0") return false;
  const headerBytes = head[14] ?? 0;
  return [12, 40, 52, 56, 64, 108, 124].includes(headerBytes) && latin1(head, 15, 3) === "\0\0\0";
}

function zipKind(head: Uint8Array): string {
  const start = latin1(head, 0, 4096);
  if (start.includes("word/")) return "Word document";
  if (start.includes("xl/")) return "Excel workbook";
  if (start.includes("ppt/")) return "PowerPoint presentation";
  if (start.includes("mimetypeapplication/vnd.oasis.opendocument")) return "OpenDocument file";
  if (start.includes("META-INF/MANIFEST.MF")) return "Java archive";
  return "ZIP archive";
}
