import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Moves the files of a finished build to where they are used, those that others load first, so that one who starts a
 * program meanwhile gets the old build or the new one and never a part. `entries` are moved last.
 *
 * @param {{ from: string, to: string, entries: readonly string[] }} options
 */
export async function publishBuild({ from, to, entries }) {
  const found = await readdir(from, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1));
  const isEntry = (file) => entries.includes(file);
  for (const file of [...files.filter((file) => !isEntry(file)), ...files.filter(isEntry)]) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await rename(join(from, file), join(to, file));
  }
  await rm(from, { recursive: true });
}
