import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import type { CallIdentity } from "./call-context.js";
import type { TurnName } from "./turn-windows.js";

/** The turn that a call belongs to; undefined if it names none. */
export function turnOf({ context }: ExecuteToolRequest, { key, userId }: CallIdentity): TurnName | undefined {
  const { sessionId = "", turnId = "" } = context ?? {};
  return turnId === "" ? undefined : { key, userId, sessionId, turnId };
}
