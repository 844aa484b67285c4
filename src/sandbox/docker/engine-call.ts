import { SandboxError } from "../provider.js";
import { engineRefusal } from "./engine-refusal.js";

/** How long and for whom an engine request may take. */
export interface EngineCallOptions {
  /** Time limit in ms; after it the engine counts as unreachable. */
  readonly timeoutMs: number;
  /** Ends the request; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Makes one request to the engine. A refusal by the engine is thrown as it came (see `engineRefusal`); an engine that
 * does not answer, or not in time, is SandboxError `engine-unreachable`; an abort is the reason of the signal.
 */
export async function engineCall<T>(
  ask: (abortSignal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: EngineCallOptions,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(new EngineSilence(timeoutMs)), timeoutMs);
  const aborted = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  try {
    return await Promise.race([ask(controller.signal), aborted]);
  } catch (error) {
    throw callFailure(error, controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

class EngineSilence extends Error {
  override readonly name = "EngineSilence";

  constructor(timeoutMs: number) {
    super(`the Docker engine did not answer within ${timeoutMs} ms`);
  }
}

function callFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) {
    return signal.reason instanceof EngineSilence ? unreachable(signal.reason.message, error) : signal.reason;
  }
  if (engineRefusal(error) !== undefined) return error;
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return unreachable(`the Docker engine cannot be reached (${error.code})`, error);
  }
  return new SandboxError("internal", "a request to the Docker engine failed", { cause: error });
}

function unreachable(message: string, cause: unknown): SandboxError {
  return new SandboxError("engine-unreachable", message, {
    hint: "start the Docker engine, and let the service's user open its socket",
    cause,
  });
}
