/** Keeps the last bytes of a stream. */
export class ByteTail {
  readonly #limitBytes: number;
  #kept = Buffer.alloc(0);

  /** Keeps at most `limitBytes`. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Adds bytes; those that are too old are forgotten. */
  add(chunk: Uint8Array): void {
    const joined = Buffer.concat([this.#kept, chunk]);
    this.#kept =
      joined.length <= this.#limitBytes
        ? joined
        : Buffer.from(joined.subarray(joined.length - this.#limitBytes));
  }

  /** The kept bytes as UTF-8; a character that was cut is replaced. */
  text(): string {
    return this.#kept.toString("utf8");
  }
}

/** How many bytes of an agent's standard error are kept. */
export const STDERR_TAIL_BYTES = 4096;
