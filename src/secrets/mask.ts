const MASK = /\[secret:[^\][\s]+\]/;

/** What stands in for the value of a secret, `[secret:NAME]`. A name has no white space and no square brackets. */
export function maskOf(name: string): string {
  return `[secret:${name}]`;
}

/** True if a text holds a mask of any name. A tool that writes such a text would put the mask where the value was. */
export function containsMask(text: string): boolean {
  return MASK.test(text);
}
