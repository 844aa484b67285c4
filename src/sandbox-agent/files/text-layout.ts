import { TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";

/** Bytes at the start of a file that decide on its layout. */
export const sampleBytes = 4160;

/** How the lines of a file lie in its bytes. */
export interface Layout {
  readonly layout: TextLayout;
  /** Bytes of the byte order mark. */
  readonly bomBytes: number;
}

/**
 * Finds the layout from the first bytes of a file. UTF-16 is known by its byte order mark, or by zero bytes in every
 * other place; any other zero byte makes a file binary, unless whole lines are followed by nothing but zeros to the end
 * of a full sample, as in a file that was made longer than its text. No charset is decoded: a cut character is no sign.
 */
export function findLayout(sample: Uint8Array): Layout {
  if (startsWith(sample, [0xff, 0xfe, 0, 0])) return { layout: TextLayout.BINARY, bomBytes: 0 };
  if (startsWith(sample, [0xff, 0xfe])) return { layout: TextLayout.UTF16LE, bomBytes: 2 };
  if (startsWith(sample, [0xfe, 0xff])) return { layout: TextLayout.UTF16BE, bomBytes: 2 };
  const bomBytes = startsWith(sample, [0xef, 0xbb, 0xbf]) ? 3 : 0;
  if (!sample.includes(0) || isPaddedText(sample)) return { layout: TextLayout.BYTES, bomBytes };
  if (bomBytes === 0 && isAsciiInPairs(sample, 0)) return { layout: TextLayout.UTF16LE, bomBytes };
  if (bomBytes === 0 && isAsciiInPairs(sample, 1)) return { layout: TextLayout.UTF16BE, bomBytes };
  return { layout: TextLayout.BINARY, bomBytes: 0 };
}

function startsWith(sample: Uint8Array, bytes: readonly number[]): boolean {
  return sample.length >= bytes.length && bytes.every((byte, index) => sample[index] === byte);
}

function isPaddedText(sample: Uint8Array): boolean {
  const zero = sample.indexOf(0);
  return (
    sample.length === sampleBytes &&
    sample[zero - 1] === 0x0a &&
    sample.subarray(zero).every((byte) => byte === 0)
  );
}

/** True if at least 70 % of the units of two bytes are ASCII characters, and none a control character or zero. */
function isAsciiInPairs(sample: Uint8Array, lowAt: 0 | 1): boolean {
  let ascii = 0;
  const units = Math.floor(sample.length / 2);
  for (let unit = 0; unit < units; unit += 1) {
    const low = sample[2 * unit + lowAt] ?? 0;
    const high = sample[2 * unit + 1 - lowAt] ?? 0;
    if (high !== 0) continue;
    if (low === 0x7f || (low < 0x20 && !textControls.has(low))) return false;
    ascii += 1;
  }
  return units > 0 && ascii * 10 >= units * 7;
}

/** Tab, line feed, vertical tab, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);
