const ONES = 0x01010101;
const HIGH = 0x80808080;
const SPACES = 0x20202020;
const DELETES = 0x7f7f7f7f;
const WORD_BYTES = 4;

/**
 * True if all bytes are printable ASCII, newlines or tabs: text that is the same after decoding and neutralising. Looks
 * at four bytes at once, so that it costs a small part of what a pattern does.
 */
export function isPlainBytes(data: Uint8Array): boolean {
  const { buffer, byteOffset, byteLength } = data;
  const head = Math.min(byteLength, (WORD_BYTES - (byteOffset % WORD_BYTES)) % WORD_BYTES);
  const words = Math.floor((byteLength - head) / WORD_BYTES);
  if (!arePlain(data, 0, head) || !arePlain(data, head + words * WORD_BYTES, byteLength)) return false;
  if (words === 0) return true;
  const view = new Uint32Array(buffer, byteOffset + head, words);
  for (let i = 0; i < words; i += 1) {
    const word = view[i] ?? 0;
    const below = (word - SPACES) & ~word;
    const flipped = word ^ DELETES;
    const deletes = (flipped - ONES) & ~flipped;
    if (((word | below | deletes) & HIGH) === 0) continue;
    const at = head + i * WORD_BYTES;
    if (!arePlain(data, at, at + WORD_BYTES)) return false;
  }
  return true;
}

function arePlain(data: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) {
    const byte = data[i] ?? 0;
    if (byte > 0x7e || (byte < 0x20 && byte !== 0x0a && byte !== 0x09)) return false;
  }
  return true;
}
