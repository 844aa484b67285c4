import { Code, ConnectError } from "@connectrpc/connect";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import type { Reason } from "../domain/reasons.js";

/** The domain of every ErrorInfo. */
export const ERROR_DOMAIN = "handrail.dev";

/** The status code of each reason. */
export const REASON_CODES: Readonly<Record<Reason, Code>> = {
  UNAUTHENTICATED: Code.Unauthenticated,
  PERMISSION_DENIED: Code.PermissionDenied,
  NOT_FOUND: Code.NotFound,
  INVALID_REQUEST: Code.InvalidArgument,
  INVALID_DEADLINE: Code.InvalidArgument,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
  CANCELED: Code.Canceled,
  CALL_ID_REUSED: Code.AlreadyExists,
  CALL_ID_REQUIRED: Code.FailedPrecondition,
  CALL_CANCELED: Code.Aborted,
  UPLOAD_OFFSET: Code.FailedPrecondition,
  UPLOAD_TOO_LARGE: Code.OutOfRange,
  BAD_ARCHIVE: Code.InvalidArgument,
  FILES_FAILED: Code.FailedPrecondition,
  QUEUE_FULL: Code.ResourceExhausted,
  STATE_UNAVAILABLE: Code.Unavailable,
  DRAINING: Code.Unavailable,
  NO_SANDBOX: Code.FailedPrecondition,
  IMAGE_MISSING: Code.FailedPrecondition,
  ENGINE_UNREACHABLE: Code.Unavailable,
  NOT_IMPLEMENTED: Code.Unimplemented,
  INTERNAL: Code.Internal,
};

/** What a status carries beside its reason and message. */
export interface StatusDetails {
  /** For ErrorInfo.metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The fields that are malformed, for BadRequest. */
  readonly violations?: readonly { readonly field: string; readonly description: string }[];
  /** When a retry makes sense, for RetryInfo, in ms. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The RPC status of a reason, with ErrorInfo and what else fits. */
export function statusError(reason: Reason, message: string, details: StatusDetails = {}): ConnectError {
  const { metadata = {}, violations = [], retryAfterMs, cause } = details;
  const error = new ConnectError(message, REASON_CODES[reason], undefined, undefined, cause);
  error.details.push({ desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN, metadata } });
  if (violations.length > 0) {
    error.details.push({
      desc: BadRequestSchema,
      value: { fieldViolations: violations.map((v) => ({ ...v })) },
    });
  }
  if (retryAfterMs !== undefined) {
    error.details.push({ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } });
  }
  return error;
}
