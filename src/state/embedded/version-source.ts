import { randomBytes } from "node:crypto";

/** Bytes of a version. */
export const VERSION_BYTES = 12;

const COUNTER_BYTES = 6;

/** Makes versions that no other write has: a number drawn for this run of the process, then a count. */
export function createVersionSource(): () => Buffer {
  const run = randomBytes(VERSION_BYTES - COUNTER_BYTES);
  let count = 0;
  return () => {
    const version = Buffer.alloc(VERSION_BYTES);
    run.copy(version);
    count += 1;
    version.writeUIntBE(count, VERSION_BYTES - COUNTER_BYTES, COUNTER_BYTES);
    return version;
  };
}
