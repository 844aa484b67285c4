/** The grammar of every id: 1 to 128 characters of `[A-Za-z0-9._:-]`. */
const ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** True if the text is a well-formed id. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** What is wrong with an id, for an error; the value itself is shown only in part. */
export function describeBadId(text: string): string {
  if (text.length > 128) return `has ${text.length} characters; the limit is 128`;
  const bad = /[^A-Za-z0-9._:-]/u.exec(text)?.[0] ?? "";
  return `has the character ${JSON.stringify(bad)}; allowed are letters, digits and . _ : -`;
}
