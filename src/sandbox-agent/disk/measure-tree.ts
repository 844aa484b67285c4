import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** What directories take on disk. */
export interface TreeSize {
  readonly bytes: number;
  /** True if the counting stopped because it took too long: `bytes` is then a lower bound. */
  readonly isPartial: boolean;
}

const BLOCK_BYTES = 512;

/**
 * Adds up what directories and all below them take on disk, for `limitMs` at most. A file with several names counts
 * once. What goes away meanwhile or may not be looked into is left out.
 */
export async function measureTree(
  roots: readonly string[],
  { limitMs }: { limitMs: number },
): Promise<TreeSize> {
  const endAt = performance.now() + limitMs;
  const waiting = [...roots];
  const linked = new Set<string>();
  let bytes = 0;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (performance.now() > endAt) return { bytes, isPartial: true };
    for (const path of await childrenOf(directory)) {
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined) continue;
      if (found.isDirectory()) waiting.push(path);
      else if (found.nlink > 1) {
        const id = `${found.dev}:${found.ino}`;
        if (linked.has(id)) continue;
        linked.add(id);
      }
      bytes += found.blocks * BLOCK_BYTES;
    }
  }
  return { bytes, isPartial: false };
}

async function childrenOf(directory: string): Promise<string[]> {
  const paths: string[] = [];
  try {
    for await (const { name } of await opendir(directory)) paths.push(join(directory, name));
  } catch {
    return paths;
  }
  return paths;
}
