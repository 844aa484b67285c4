/** Reads bytes at a position into the buffer; resolves with how many, 0 at the end of the file. */
export type ReadAt = (buffer: Buffer, position: number) => Promise<number>;

const firstChunkBytes = 64 * 1024;
const chunkBytes = 256 * 1024;

/** Goes through a file chunk by chunk. Chunks are full, so of even size, but for the last. */
export class ByteCursor {
  readonly #readAt: ReadAt;
  /** The current chunk. It is overwritten by `fill`. */
  chunk: Buffer = Buffer.alloc(0);
  /** Index of the next byte in the chunk. */
  at = 0;
  #memory = Buffer.alloc(0);
  #nextPosition = 0;
  #ended = false;

  constructor(readAt: ReadAt) {
    this.#readAt = readAt;
  }

  /** True if there is a next byte; reads the next chunk if the current one is used up. */
  async more(): Promise<boolean> {
    return this.at < this.chunk.length || (await this.#fill());
  }

  async #fill(): Promise<boolean> {
    if (this.#ended) return false;
    const size = this.#nextPosition === 0 ? firstChunkBytes : chunkBytes;
    if (this.#memory.length !== size) this.#memory = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    while (filled < size && !this.#ended) {
      const count = await this.#readAt(this.#memory.subarray(filled), this.#nextPosition);
      this.#ended = count === 0;
      filled += count;
      this.#nextPosition += count;
    }
    this.chunk = this.#memory.subarray(0, filled);
    this.at = 0;
    return filled > 0;
  }
}
