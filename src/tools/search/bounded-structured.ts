import type { Json } from "../../domain/tool-result.js";

/** Most bytes of the list in the structured form of a result. */
const MAX_LIST_BYTES = 200 * 1024;

/** The first items of a list that fit in a structured result. */
export function fitList<T extends Json>(items: readonly T[]): readonly T[] {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > MAX_LIST_BYTES) return items.slice(0, index);
  }
  return items;
}
