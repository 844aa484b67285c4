/** A cell that takes the first of several values, for good. */
export class Settlement<T> {
  #value: { readonly is: T } | undefined;
  readonly #promise: Promise<T>;
  #resolve: (value: T) => void = () => undefined;

  constructor() {
    this.#promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Takes the value if none was taken before; true if it was. */
  settle(value: T): boolean {
    if (this.#value !== undefined) return false;
    this.#value = { is: value };
    this.#resolve(value);
    return true;
  }

  /** The value, or undefined while there is none. */
  get value(): T | undefined {
    return this.#value?.is;
  }

  /** Resolves with the value. */
  get settled(): Promise<T> {
    return this.#promise;
  }
}
