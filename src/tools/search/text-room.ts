/** Bytes that are kept free for notices at the end of a result. */
const NOTICE_BYTES = 1500;

/** Lines of a result within the text budget of a call. */
export class TextRoom {
  readonly #lines: string[] = [];
  #leftBytes: number;

  constructor(maxBytes: number) {
    this.#leftBytes = Math.max(Math.floor(maxBytes / 2), maxBytes - NOTICE_BYTES);
  }

  /** Adds lines that belong together, all or none. False if they do not fit; the first always do. */
  add(lines: readonly string[]): boolean {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (bytes > this.#leftBytes && this.#lines.length > 0) return false;
    this.#leftBytes -= bytes;
    this.#lines.push(...lines);
    return true;
  }

  /** The lines, and after them what else there is to say. */
  text(notices: readonly string[]): string {
    return [...this.#lines, ...notices.map((notice) => `[${notice}]`)].join("\n");
  }

  /** True if nothing was added. */
  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }
}
