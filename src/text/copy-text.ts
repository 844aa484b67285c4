/** Copies a text, so that a small slice does not keep the large text it was cut from in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
