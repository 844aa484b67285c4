/**
 * What a text looks like between the quotes of a JSON string, as usual encoders write it: as it is where JSON allows,
 * with `\uXXXX` for all that is not ASCII, with `\/`, and with `\uXXXX` for `<`, `>` and `&`; digits in either case.
 */
export function jsonForms(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = escapeUnits(plain, /[^\0-\x7f]/g);
  const forms = [plain, ascii].flatMap((form) => [
    form,
    form.replaceAll("/", "\\/"),
    escapeUnits(form, /[<>&\u2028\u2029]/g),
  ]);
  return forms.flatMap((form) => [form, upperDigits(form)]);
}

function escapeUnits(text: string, units: RegExp): string {
  return text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Leaves an escaped backslash before a `u` alone. */
function upperDigits(form: string): string {
  return form.replace(/\\(?:u([0-9a-f]{4})|.)/g, (escape, digits: string | undefined) =>
    digits === undefined ? escape : `\\u${digits.toUpperCase()}`,
  );
}
