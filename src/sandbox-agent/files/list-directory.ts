import { closeSync, constants, opendirSync, openSync } from "node:fs";

/** An entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** The first entries of a held directory, in the order of the disk. Empty if it may not be listed. */
export function listDirectory(fd: number, maxEntries: number): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  try {
    const directory = opendirSync(`/proc/self/fd/${fd}`);
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        entries.push({ name: entry.name, isDirectory: entry.isDirectory() });
        if (entries.length >= maxEntries) break;
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    return entries;
  }
  return entries;
}

/** Does something with a directory below a held one; symbolic links are not followed. Nothing if it is not there. */
export function withDirectory<T>(
  fd: number,
  names: readonly string[],
  use: (fd: number) => T,
): T | undefined {
  const [name, ...rest] = names;
  if (name === undefined) return use(fd);
  let next: number;
  try {
    next = openSync(
      `/proc/self/fd/${fd}/${name}`,
      constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
    );
  } catch {
    return undefined;
  }
  try {
    return withDirectory(next, rest, use);
  } finally {
    closeSync(next);
  }
}
