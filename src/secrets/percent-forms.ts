const KEPT: readonly RegExp[] = [
  /[A-Za-z0-9\-_.!~*'()]/, // encodeURIComponent
  /[A-Za-z0-9\-_.!~*'();/?:@&=+$,#]/, // encodeURI
  /[A-Za-z0-9\-_.~]/, // RFC 3986
  /[A-Za-z0-9\-_.~/]/, // RFC 3986, of a path
  /[A-Za-z0-9\-_.*]/, // forms
];

/**
 * What bytes look like in percent-encoding: by each usual choice of characters that stay as they are, with the
 * digits in either case and a space as `%20` or `+`; and with every byte encoded.
 */
export function percentForms(bytes: Uint8Array): string[] {
  const forms = KEPT.flatMap((kept) => {
    const form = encode(bytes, kept);
    return [form, form.replaceAll("%20", "+")];
  });
  return [...forms, encode(bytes)].flatMap((form) => [form, lowerDigits(form)]);
}

function encode(bytes: Uint8Array, kept?: RegExp): string {
  const encoded = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return kept?.test(character) === true
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return encoded.join("");
}

function lowerDigits(form: string): string {
  return form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}
