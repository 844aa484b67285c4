/** Whether the service takes new calls. It only ever goes from serving to draining. */
export class ServingState {
  readonly #draining = new AbortController();

  /** True once the service takes nothing new. */
  get draining(): boolean {
    return this.#draining.signal.aborted;
  }

  /** Takes nothing new from here on. */
  startDraining(): void {
    this.#draining.abort();
  }

  /** Resolves once the service drains or `signal` aborts. */
  async whenDraining(signal: AbortSignal): Promise<void> {
    await aborted(AbortSignal.any([this.#draining.signal, signal]));
  }
}

/** Resolves once the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
