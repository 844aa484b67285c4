import { openSync, readSync } from "node:fs";

/** More than any file of a cgroup that is read so. */
const MAX_BYTES = 4096;

/**
 * Opens a small file of the kernel once and gives a function that reads what it says now, at a fraction of the cost of
 * opening it each time. What it says is empty while the file cannot be read. Undefined if there is no such file.
 */
export function holdFile(path: string): (() => string) | undefined {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return undefined;
  }
  const bytes = Buffer.allocUnsafeSlow(MAX_BYTES);
  return () => {
    try {
      return bytes.toString("latin1", 0, readSync(fd, bytes, 0, MAX_BYTES, 0));
    } catch {
      return "";
    }
  };
}

/** The first of the files that there is. See holdFile. */
export function holdFirst(paths: readonly string[]): (() => string) | undefined {
  for (const path of paths) {
    const held = holdFile(path);
    if (held !== undefined) return held;
  }
  return undefined;
}
