import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { AbortReason } from "./abort-reason.js";
import type { ProjectKey } from "./call.js";
import type { CallRegistry } from "./call-registry.js";

/** What CancelCall did. */
export type Cancellation =
  | { readonly did: "canceled"; readonly result: Result }
  | { readonly did: "already-settled"; readonly result: Result }
  | { readonly did: "buried" };

/** Stops a call and waits until nothing of it works any more; a call that has not come is refused when it does. */
export async function cancelCall(
  registry: CallRegistry,
  options: { key: ProjectKey; callId: string; said: string },
): Promise<Cancellation> {
  const { key, callId, said } = options;
  const stored = await registry.find(key, callId);
  const found = stored.kind === "call" ? stored : registry.peek(key, callId);
  if (found.kind !== "call") {
    registry.bury(key, callId);
    return { did: "buried" };
  }
  const { call } = found;
  const wasStopped = call.stoppedBy !== undefined && call.result === undefined;
  const canceled = call.abort(new AbortReason("cancel_call", said)) || wasStopped;
  await call.over;
  return { did: canceled ? "canceled" : "already-settled", result: await call.finished };
}
