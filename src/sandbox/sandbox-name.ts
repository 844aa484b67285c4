import { createHash } from "node:crypto";
import type { SandboxKey } from "./provider.js";

/** Hexadecimal digits of a name's hash. */
const HASH_DIGITS = 20;

/** A hash of the parts, safe in names and labels; parts that differ in their borders differ in the hash. */
export function hashName(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, HASH_DIGITS);
}

/** The hash that names the sandbox of a project and its storage. */
export function sandboxHash({ tenant, project }: SandboxKey): string {
  return hashName(tenant, project);
}
