import { createHash, randomUUID } from "node:crypto";
import type { StreamRequest } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { parseArguments } from "../calls/arguments.js";
import { projectKeyText } from "../calls/call.js";
import { kIdentity } from "../calls/call-context.js";
import type { CallRegistry } from "../calls/call-registry.js";
import { Claims } from "../calls/claims.js";
import { projectOf } from "../calls/project-of.js";
import { kPrincipal } from "../rpc/context-keys.js";
import { statusError } from "../rpc/status.js";
import { attachReader } from "./attach-reader.js";
import type { AttachOptions } from "./attach-reader.js";
import { onExecuteTool } from "./execute-tool.js";

/** What call ids need. */
export interface CallIdOptions extends AttachOptions {
  readonly registry: CallRegistry;
  /** Hears of each request that meets a call of its id. */
  readonly onFound: (how: "joined" | "replayed") => void;
}

/**
 * Gives the call its durable name. The same id with the same request joins the running call or repeats the finished
 * one; with another request it is refused. Without an id the service makes one, and refuses what shows to be a retry.
 */
export function callId(options: CallIdOptions): Interceptor {
  const { registry } = options;
  const claims = new Claims();
  return onExecuteTool(async ({ input, request }, next) => {
    const principal = request.contextValues.get(kPrincipal);
    if (principal === undefined) throw statusError("UNAUTHENTICATED", "no principal came with the request");
    if (input.callId === "" && isRetry(request)) {
      throw statusError(
        "CALL_ID_REQUIRED",
        "this request is a retry: send a call_id so that it cannot run twice",
      );
    }
    const id = input.callId === "" ? randomUUID() : input.callId;
    const key = projectOf(principal, input.context);
    const userId = principal.user ?? input.context?.userId ?? "";
    const parsed = parseArguments(input.input);
    const fingerprint = fingerprintOf(input, parsed.hash, userId);
    const claim = `${projectKeyText(key)}\0${id}`;
    for (;;) {
      const found = input.callId === "" ? registry.peek(key, id) : await registry.find(key, id);
      const holder = claims.holder(claim);
      if (holder !== undefined) {
        await holder;
        continue;
      }
      if (found.kind === "tombstone") {
        throw statusError("CALL_CANCELED", `call ${id} was canceled before it arrived`, {
          metadata: { call_id: id },
        });
      }
      if (found.kind === "call") {
        requireSame(found.call.facts.fingerprint, fingerprint, id);
        options.onFound(found.call.result === undefined ? "joined" : "replayed");
        return attachReader(request, found.call, options);
      }
      if (registry.peek(key, id).kind !== "nothing") continue;
      request.contextValues.set(kIdentity, { key, callId: id, userId, arguments: parsed, fingerprint });
      return claims.hold(claim, () => next(request));
    }
  });
}

/** Refuses a call id that belongs to another request. */
function requireSame(held: string, offered: string, id: string): void {
  if (held === offered) return;
  throw statusError(
    "CALL_ID_REUSED",
    `call id ${id} belongs to a call with another tool, other arguments, another session or user; use a new id`,
    { metadata: { call_id: id } },
  );
}

function fingerprintOf(input: ExecuteToolRequest, argumentsHash: string, userId: string): string {
  const parts = [input.tool, argumentsHash, input.context?.sessionId ?? "", userId];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function isRetry(request: StreamRequest): boolean {
  const grpc = Number(request.header.get("grpc-previous-rpc-attempts") ?? "0");
  const envoy = Number(request.header.get("x-envoy-attempt-count") ?? "1");
  return grpc > 0 || envoy > 1;
}
