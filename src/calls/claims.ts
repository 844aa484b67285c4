/**
 * Names that are being given: from the moment a request claims a name until what it names exists or the request is
 * refused, others that want the name wait.
 */
export class Claims {
  readonly #held = new Map<string, Promise<void>>();

  /** Resolves when whoever holds the name now is done; undefined if nobody holds it. */
  holder(name: string): Promise<void> | undefined {
    return this.#held.get(name);
  }

  /** Runs `give` while the name is held. The name must be free. */
  async hold<T>(name: string, give: () => Promise<T>): Promise<T> {
    if (this.#held.has(name)) throw new Error("the name is held already");
    const given = give();
    this.#held.set(
      name,
      given.then(
        () => undefined,
        () => undefined,
      ),
    );
    try {
      return await given;
    } finally {
      this.#held.delete(name);
    }
  }
}
