import type { ConnectError, HandlerContext } from "@connectrpc/connect";
import type { Call, ProjectKey } from "../calls/call.js";
import type { CallRegistry } from "../calls/call-registry.js";
import type { Principal } from "../domain/principal.js";
import { kPrincipal } from "./context-keys.js";
import { statusError } from "./status.js";

/** Who calls. */
export function principalOf(context: HandlerContext): Principal {
  const principal = context.values.get(kPrincipal);
  if (principal === undefined) throw statusError("UNAUTHENTICATED", "no principal came with the request");
  return principal;
}

/** Refuses a request whose named text fields are not all there. */
export function requireFields<T extends object>(request: T, fields: readonly (keyof T & string)[]): void {
  const violations = fields
    .filter((field) => request[field] === "")
    .map((field) => ({ field: toSnake(field), description: "is required" }));
  const [first] = violations;
  if (first === undefined) return;
  throw statusError("INVALID_REQUEST", `${first.field} ${first.description}`, { violations });
}

/** The same words for what is absent and for what belongs to another tenant. */
export function notFound(): ConnectError {
  return statusError("NOT_FOUND", "no such project, call, question or artifact");
}

/** The call of that id. */
export async function requireCall(registry: CallRegistry, key: ProjectKey, id: string): Promise<Call> {
  const found = await registry.find(key, id);
  if (found.kind !== "call") throw notFound();
  return found.call;
}

function toSnake(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
