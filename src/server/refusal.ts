import type { Code } from "@connectrpc/connect";
import { ConnectError } from "@connectrpc/connect";

import { ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import type { Reason } from "../domain/reasons.js";

/** Domain of the google.rpc.ErrorInfo of every error of the service. */
const errorDomain = "handrail.dev";

/** Options of refusal. */
export interface RefusalOptions {
  readonly code: Code;
  readonly reason: Reason;
  /** For people: the value, the limit and the way out. */
  readonly message: string;
  /** Metadata of the ErrorInfo. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When the client may try again, in ms. Default: no RetryInfo. */
  readonly retryDelayMs?: number;
}

/** Makes the status of an RPC that the server refuses before any handler sees it. */
export function refusal({
  code,
  reason,
  message,
  metadata = {},
  retryDelayMs,
}: RefusalOptions): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: errorDomain, metadata } };
  if (retryDelayMs === undefined) return new ConnectError(message, code, undefined, [info]);
  const seconds = Math.floor(retryDelayMs / 1000);
  const retryDelay = { seconds: BigInt(seconds), nanos: Math.round((retryDelayMs - seconds * 1000) * 1e6) };
  return new ConnectError(message, code, undefined, [info, { desc: RetryInfoSchema, value: { retryDelay } }]);
}
