import { createContextKey } from "@connectrpc/connect";
import type { ContextKey } from "@connectrpc/connect";
import type { Mode } from "../domain/mode.js";
import type { ToolResult } from "../domain/tool-result.js";
import type { PreparedCall, AnyTool } from "../tools/define.js";
import type { ParsedArguments } from "./arguments.js";
import type { Call, ProjectKey } from "./call.js";
import type { EffectiveLimits } from "./limits.js";
import type { TurnName } from "./turn-windows.js";

/** The scope of one RPC: it says when its caller has gone, and until when the caller waits. */
export interface ReaderScope {
  /** Aborts with an AbortReason. */
  readonly signal: AbortSignal;
  /** Ms since 1970; undefined if the caller set no deadline. */
  readonly deadlineAtMs: number | undefined;
}

/** Whose call it is and under which id. */
export interface CallIdentity {
  readonly key: ProjectKey;
  readonly callId: string;
  readonly userId: string;
  readonly arguments: ParsedArguments;
  /** Hash of tool, canonical arguments, session and user. */
  readonly fingerprint: string;
}

/** What admission decided: what to run, or the result that stands at once. */
export type Admitted = { readonly mode: Mode; readonly limits: EffectiveLimits } & (
  { readonly tool: AnyTool; readonly prepared: PreparedCall } | { readonly refusal: ToolResult }
);

/** The scope of the RPC. */
export const kReader: ContextKey<ReaderScope | undefined> = createContextKey<ReaderScope | undefined>(
  undefined,
  { description: "handrail reader scope" },
);

/** The identity of the call. */
export const kIdentity: ContextKey<CallIdentity | undefined> = createContextKey<CallIdentity | undefined>(
  undefined,
  { description: "handrail call identity" },
);

/** The decision of admission. */
export const kAdmitted: ContextKey<Admitted | undefined> = createContextKey<Admitted | undefined>(undefined, {
  description: "handrail admission",
});

/** The call that the handler runs for. */
export const kCall: ContextKey<Call | undefined> = createContextKey<Call | undefined>(undefined, {
  description: "handrail call",
});

/** Where equal calls of the turn find this one. */
export interface TurnPlace {
  readonly turn: TurnName;
  /** Names the calls that are equal to it. */
  readonly callKey: string;
  /** True if only a run under way may be shared. */
  readonly isInflightOnly: boolean;
}

/** Set for calls that equal calls of their turn may share. */
export const kTurnPlace: ContextKey<TurnPlace | undefined> = createContextKey<TurnPlace | undefined>(
  undefined,
  { description: "handrail turn place" },
);
