const HIGH_CONTROLS =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

/** Decodes windows-1252, the superset of Latin-1. Every byte is a character, so that it cannot fail. */
export function decodeWindows1252(data: Uint8Array): string {
  const latin1 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
  return latin1.replace(/[\u0080-\u009f]/g, (control) => HIGH_CONTROLS.charAt(control.charCodeAt(0) - 0x80));
}
