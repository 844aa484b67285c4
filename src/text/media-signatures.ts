/** A picture format that can be told from its first bytes. */
export type PictureType = "png" | "jpeg" | "gif" | "webp" | "tiff" | "bmp" | "heic" | "avif" | "svg";

/** Bytes at a fixed place that tell a format, as text in Latin-1. */
export interface Signature<Name extends string> {
  readonly name: Name;
  readonly at: number;
  readonly bytes: string;
}

/** First bytes of picture formats that have fixed ones. */
export const PICTURE_SIGNATURES: readonly Signature<PictureType>[] = [
  { name: "png", at: 0, bytes: "\x89PNG\r\n\x1a\n" },
  { name: "jpeg", at: 0, bytes: "\xff\xd8\xff" },
  { name: "gif", at: 0, bytes: "GIF87a" },
  { name: "gif", at: 0, bytes: "GIF89a" },
  { name: "tiff", at: 0, bytes: "II*\0" },
  { name: "tiff", at: 0, bytes: "MM\0*" },
  { name: "tiff", at: 0, bytes: "II+\0" },
  { name: "tiff", at: 0, bytes: "MM\0+" },
];

/** First bytes of other binary formats, with names for people. */
export const BINARY_SIGNATURES: readonly Signature<string>[] = [
  { name: "PDF document", at: 0, bytes: "%PDF-" },
  { name: "ELF executable", at: 0, bytes: "\x7fELF" },
  { name: "Windows executable", at: 0, bytes: "MZ" },
  { name: "Mach-O executable", at: 0, bytes: "\xcf\xfa\xed\xfe" },
  { name: "Mach-O executable", at: 0, bytes: "\xce\xfa\xed\xfe" },
  { name: "Java class file", at: 0, bytes: "\xca\xfe\xba\xbe" },
  { name: "WebAssembly module", at: 0, bytes: "\0asm" },
  { name: "SQLite database", at: 0, bytes: "SQLite format 3\0" },
  { name: "gzip archive", at: 0, bytes: "\x1f\x8b" },
  { name: "bzip2 archive", at: 0, bytes: "BZh" },
  { name: "xz archive", at: 0, bytes: "\xfd7zXZ\0" },
  { name: "Zstandard archive", at: 0, bytes: "\x28\xb5\x2f\xfd" },
  { name: "7-Zip archive", at: 0, bytes: "7z\xbc\xaf\x27\x1c" },
  { name: "RAR archive", at: 0, bytes: "Rar!\x1a\x07" },
  { name: "tar archive", at: 257, bytes: "ustar" },
  { name: "Unix static library", at: 0, bytes: "!<arch>\n" },
  { name: "ZIP archive", at: 0, bytes: "PK\x03\x04" },
  { name: "ZIP archive", at: 0, bytes: "PK\x05\x06" },
  { name: "Office document of the old format", at: 0, bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" },
  { name: "WOFF2 font", at: 0, bytes: "wOF2" },
  { name: "WOFF font", at: 0, bytes: "wOFF" },
  { name: "TrueType font", at: 0, bytes: "\0\x01\0\0\0" },
  { name: "OpenType font", at: 0, bytes: "OTTO" },
  { name: "MP3 audio", at: 0, bytes: "ID3" },
  { name: "Ogg media", at: 0, bytes: "OggS" },
  { name: "FLAC audio", at: 0, bytes: "fLaC" },
  { name: "Matroska or WebM video", at: 0, bytes: "\x1a\x45\xdf\xa3" },
  { name: "Windows icon", at: 0, bytes: "\0\0\x01\0" },
  { name: "Photoshop document", at: 0, bytes: "8BPS" },
  { name: "JPEG XL picture", at: 0, bytes: "\0\0\0\x0cJXL \r\n\x87\n" },
  { name: "JPEG XL picture", at: 0, bytes: "\xff\x0a" },
  { name: "JPEG 2000 picture", at: 0, bytes: "\0\0\0\x0cjP  " },
  { name: "Parquet file", at: 0, bytes: "PAR1" },
  { name: "NumPy array", at: 0, bytes: "\x93NUMPY" },
  { name: "HDF5 file", at: 0, bytes: "\x89HDF\r\n\x1a\n" },
  { name: "Git pack", at: 0, bytes: "PACK\0\0\0" },
];
