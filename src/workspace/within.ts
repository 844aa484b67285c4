/**
 * Works under a signal that is aborted with `signal`, or with the error that `onTimeout` makes when the time is over.
 * The clock is a timer of its own: in Node 20 a signal of AbortSignal.timeout that only AbortSignal.any refers to can be
 * collected and then never fires.
 */
export async function within<T>(
  limits: { timeoutMs: number; signal: AbortSignal; onTimeout: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal, onTimeout } = limits;
  signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(onTimeout()), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
