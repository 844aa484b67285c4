import { TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";

/** The unit of a text's layout: one byte, or two in either order. */
export interface LineUnit {
  readonly bytes: 1 | 2;
  /** Place of the low byte in a unit. */
  readonly lowAt: 0 | 1;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The unit of a layout of text. */
export function lineUnitOf(layout: TextLayout): LineUnit {
  if (layout === TextLayout.UTF16LE) return { bytes: 2, lowAt: 0 };
  if (layout === TextLayout.UTF16BE) return { bytes: 2, lowAt: 1 };
  return { bytes: 1, lowAt: 0 };
}

/** Index of the first line feed at or after `from`, which is at the start of a unit; -1 if there is none. */
export function findLineFeed(bytes: Buffer, from: number, { bytes: size, lowAt }: LineUnit): number {
  if (size === 1) return bytes.indexOf(lineFeed, from);
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    const start = at - lowAt;
    if (
      start >= from &&
      (start - from) % 2 === 0 &&
      bytes[start + 1 - lowAt] === 0 &&
      start + 1 < bytes.length
    )
      return start;
  }
  return -1;
}

/** True if the last unit of the bytes, which start at a unit, is a carriage return. */
export function endsInCarriageReturn(bytes: Uint8Array, { bytes: size, lowAt }: LineUnit): boolean {
  if (size === 1) return bytes.at(-1) === carriageReturn;
  const start = bytes.length - 2;
  return (
    start >= 0 && start % 2 === 0 && bytes[start + lowAt] === carriageReturn && bytes[start + 1 - lowAt] === 0
  );
}

/** How many bytes to keep so that no character is cut at the end; all if nothing would be left. */
export function wholeCharacters(bytes: Uint8Array, { bytes: size, lowAt }: LineUnit): number {
  const kept = size === 1 ? wholeUtf8(bytes) : wholeUtf16(bytes, lowAt);
  return kept === 0 ? bytes.length : kept;
}

function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function wholeUtf16(bytes: Uint8Array, lowAt: 0 | 1): number {
  const even = bytes.length - (bytes.length % 2);
  const high = bytes[even - 1 - lowAt] ?? 0;
  return even >= 2 && high >= 0xd8 && high <= 0xdb ? even - 2 : even;
}
