/** How many bytes the character has whose first two bytes are given. */
type CharacterLength = (lead: number, next: number) => number;

const LENGTHS: ReadonlyMap<string, CharacterLength> = new Map<string, CharacterLength>([
  ["gb18030", (lead, next) => (lead < 0x81 ? 1 : next >= 0x30 && next <= 0x39 ? 4 : 2)],
  ["big5", (lead) => (lead < 0x81 ? 1 : 2)],
  ["euc-kr", (lead) => (lead < 0x81 ? 1 : 2)],
  ["euc-jp", (lead) => (lead === 0x8f ? 3 : lead < 0x8e ? 1 : 2)],
  ["shift_jis", (lead) => (lead < 0x81 || (lead >= 0xa0 && lead <= 0xdf) ? 1 : 2)],
]);

/**
 * For a charset whose characters may have several bytes, of which later ones may look like ASCII: tells where characters
 * begin in a text that has one character for each byte. Undefined for other charsets.
 */
export function characterBounds(
  encoding: string,
): ((text: string) => (index: number) => boolean) | undefined {
  const lengthOf = LENGTHS.get(encoding);
  if (lengthOf === undefined) return undefined;
  return (text) => {
    const begins = new Uint8Array(text.length + 1);
    begins[text.length] = 1;
    for (let at = 0; at < text.length;) {
      begins[at] = 1;
      at += lengthOf(text.charCodeAt(at), at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
    }
    return (index) => begins[index] === 1;
  };
}
