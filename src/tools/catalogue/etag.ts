import { createHash } from "node:crypto";

/** Names a list of definitions: equal lists have equal names. */
export function etagOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
