/** Hands things from one who gives to one who takes; the giver is held back until each was taken. */
export class Handover<T> {
  readonly #given: { readonly thing: T; readonly taken: () => void }[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  give(thing: T): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    return new Promise((taken) => {
      this.#given.push({ thing, taken });
      this.#wake();
    });
  }

  async take(): Promise<T | undefined> {
    while (this.#given.length === 0) {
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const next = this.#given.shift();
    next?.taken();
    return next?.thing;
  }

  /** No more is given; what was given can be taken. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Lets the giver go on; what was given is dropped. */
  close(): void {
    this.end();
    for (const { taken } of this.#given.splice(0)) taken();
  }
}
