import { isAscii } from "node:buffer";

/** The text of bytes that are all below 0x80, several times as fast as a TextDecoder has it; undefined for others. */
export function asciiText(data: Uint8Array): string | undefined {
  if (!isAscii(data)) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");
}
