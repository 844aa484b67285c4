/**
 * What bytes look like inside base64, at each of the three places where they may begin in a group of three bytes.
 * Each form holds the characters that the bytes alone determine; there are also the forms that end the text,
 * where the last character is filled with zero bits, with and without padding. In the standard and the URL-safe
 * alphabet. One line each.
 */
export function base64Forms(bytes: Uint8Array): string[] {
  const forms = [0, 1, 2].flatMap((bytesBefore) => formsAfter(bytesBefore, bytes));
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function formsAfter(bytesBefore: number, bytes: Uint8Array): string[] {
  const padded = Buffer.concat([Buffer.alloc(bytesBefore), bytes]).toString("base64");
  const first = Math.ceil((bytesBefore * 8) / 6);
  const determined = Math.floor(((bytesBefore + bytes.length) * 8) / 6);
  const unpadded = padded.replace(/=+$/, "");
  return [padded.slice(first, determined), unpadded.slice(first), padded.slice(first)];
}
