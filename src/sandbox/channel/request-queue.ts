import { deferred } from "./deferred.js";
import type { Deferred } from "./deferred.js";

/** The encoded requests of one stream, on their way to the handler. */
export class RequestQueue {
  readonly #items: Uint8Array[] = [];
  #reader: Deferred<Uint8Array | undefined> | undefined;
  #taken: Deferred<void> | undefined;
  #ended = false;
  #discarding = false;
  #failure: { error: unknown } | undefined;

  /** Adds a request. Returns a promise that resolves when it was taken, if the sender should wait for that. */
  push(payload: Uint8Array): Promise<void> | undefined {
    if (this.#discarding || this.#ended) return undefined;
    if (this.#reader !== undefined) {
      this.#answer(payload);
      return undefined;
    }
    this.#items.push(payload);
    this.#taken ??= deferred<void>();
    return this.#taken.promise;
  }

  /** No more requests come. */
  end(): void {
    this.#ended = true;
    this.#answer(undefined);
  }

  /** No more requests come, because of an error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(error);
    this.#release();
  }

  /** The handler takes no more requests: what comes is dropped. */
  discard(): void {
    this.#discarding = true;
    this.#items.length = 0;
    this.#release();
  }

  /** The next request, or nothing after the last. Rejects with the error of `fail`. */
  next(): Promise<Uint8Array | undefined> {
    const item = this.#items.shift();
    if (item !== undefined) {
      if (this.#items.length === 0) this.#release();
      return Promise.resolve(item);
    }
    const reader = deferred<Uint8Array | undefined>();
    if (this.#failure !== undefined) reader.reject(this.#failure.error);
    else if (this.#ended) reader.resolve(undefined);
    else this.#reader = reader;
    return reader.promise;
  }

  #answer(payload: Uint8Array | undefined): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.resolve(payload);
  }

  #release(): void {
    this.#taken?.resolve();
    this.#taken = undefined;
  }
}
