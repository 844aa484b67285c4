import { closeSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 20;
const MAGIC = Buffer.from("\x7fELF", "latin1");

/** The bytes of an ELF header that name the machine: word size, byte order and processor. */
function machineOf(header: Buffer): Buffer {
  return Buffer.concat([header.subarray(4, 6), header.subarray(18, 20)]);
}

function ownHeader(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync("/proc/self/exe", "r");
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

/** True if `binary` is an ELF program for another kind of machine than the one that this process runs on. */
export function isForeignProgram(binary: Uint8Array): boolean {
  const header = Buffer.from(binary.subarray(0, HEADER_BYTES));
  if (header.length < HEADER_BYTES || !header.subarray(0, 4).equals(MAGIC)) return false;
  return !machineOf(header).equals(machineOf(ownHeader()));
}
