import { OutsideError } from "./outside-error.js";

/** A signal that is aborted by another or when a time is over. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Releases timer and listener. */
  clear(): void;
}

/** Starts a clock. When the time is over the reason is OutsideError `outside.timeout` with the words of `what`. */
export function startDeadline(options: { timeoutMs: number; signal: AbortSignal; what: string }): Deadline {
  const { timeoutMs, signal, what } = options;
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  const timer = setTimeout(
    () => controller.abort(new OutsideError("outside.timeout", `${what} took longer than ${timeoutMs} ms`)),
    timeoutMs,
  );
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
