import type { Reason } from "../domain/reasons.js";
import { SandboxError } from "../sandbox/provider.js";
import type { SandboxFailure } from "../sandbox/provider.js";
import { statusError } from "./status.js";

const REASONS: Readonly<Record<SandboxFailure, Reason>> = {
  "engine-unreachable": "ENGINE_UNREACHABLE",
  "image-missing": "IMAGE_MISSING",
  gone: "NO_SANDBOX",
  "not-startable": "NO_SANDBOX",
  internal: "NO_SANDBOX",
};

/** Why a call cannot be accepted when no sandbox can be had for it. */
export function sandboxStatus(error: unknown): Error {
  if (!(error instanceof SandboxError)) return error instanceof Error ? error : new Error(String(error));
  const message = error.hint === "" ? error.message : `${error.message}. ${error.hint}`;
  const retry = error.failure === "engine-unreachable" ? { retryAfterMs: 1000 } : {};
  return statusError(REASONS[error.failure], message, { cause: error, ...retry });
}
