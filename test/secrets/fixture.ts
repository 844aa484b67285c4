import type { Masker } from "../../src/secrets/masker.js";

/** A value with all that encoders treat in a special way, and a character of two, three and four bytes each. */
export const TRICKY = 'p@ss/w+rd "q\\u00e9" é€😀 <&>?*~\'()';

export function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** Every usual way to write a value, made by what programs use for it. */
export function encodingsOf(value: string): Record<string, string> {
  const bytes = Buffer.from(value);
  const component = encodeURIComponent(value);
  const every = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const json = JSON.stringify(value).slice(1, -1);
  return {
    plain: value,
    base64: bytes.toString("base64"),
    "base64 without padding": bytes.toString("base64").replaceAll("=", ""),
    "base64 of URLs": base64Url(bytes),
    "base64 of URLs with padding": bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_"),
    "lower hex": bytes.toString("hex"),
    "upper hex": bytes.toString("hex").toUpperCase(),
    "percent-encoding": component,
    "percent-encoding with lower digits": component.replace(/%../g, (escape) => escape.toLowerCase()),
    "percent-encoding with plus": component.replaceAll("%20", "+"),
    "percent-encoding of a URL": encodeURI(value),
    "percent-encoding of forms": new URLSearchParams({ v: value }).toString().slice(2),
    "percent-encoding of every byte": every,
    "percent-encoding of every byte with upper digits": every.toUpperCase(),
    JSON: json,
    "JSON in ASCII": json.replace(/[^\0-\x7f]/g, (unit) => `\\u${hexOf(unit)}`),
    "JSON in ASCII with upper digits": json.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${hexOf(unit).toUpperCase()}`,
    ),
    "JSON with escaped slashes": json.replaceAll("/", "\\/"),
    "JSON for HTML": json.replace(/[<>&]/g, (unit) => `\\u${hexOf(unit)}`),
  };
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Masks bytes that come in chunks. */
export function maskChunks(masker: Masker, chunks: Iterable<Uint8Array>): Buffer {
  const stream = masker.byteStream();
  const out: Uint8Array[] = [];
  for (const chunk of chunks) out.push(Buffer.from(stream.push(chunk)));
  out.push(stream.flush());
  return Buffer.concat(out);
}

/** Masks text that comes in chunks. */
export function maskTextChunks(masker: Masker, chunks: Iterable<string>): string {
  const stream = masker.textStream();
  return [...chunks].map((chunk) => stream.push(chunk)).join("") + stream.flush();
}

/** A text with each encoding of each value, in words. */
export function textWithAll(values: readonly string[]): string {
  return values
    .flatMap((value) => Object.entries(encodingsOf(value)))
    .map(([name, form]) => `é ${name} is:${form}, 😀\n`)
    .join("");
}
