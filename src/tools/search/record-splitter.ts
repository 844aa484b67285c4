/** One record of a stream. */
export interface StreamRecord {
  /** The record without its end, or only its start if `tail` is set. */
  readonly data: Buffer;
  /** Its last bytes, if it was too long to be held. */
  readonly tail?: Buffer;
}

/** Bytes that are kept of each end of a record that is too long. */
const END_BYTES = 64 * 1024;

/** Splits a stream of bytes at a byte, in memory that one record of `maxBytes` bounds. */
export class RecordSplitter {
  readonly #separator: number;
  readonly #maxBytes: number;
  readonly #onRecord: (record: StreamRecord) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;

  constructor(options: { separator: number; maxBytes: number; onRecord: (record: StreamRecord) => void }) {
    this.#separator = options.separator;
    this.#maxBytes = options.maxBytes;
    this.#onRecord = options.onRecord;
  }

  /** Adds the next bytes. */
  push(data: Uint8Array): void {
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(this.#separator, from);
      this.#hold(chunk.subarray(from, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.#emit();
      from = end + 1;
    }
  }

  /** Ends the stream: what came after the last separator is a record if it is not empty. */
  finish(): void {
    if (this.#bytes > 0 || this.#head !== undefined) this.#emit();
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return;
    this.#chunks.push(Buffer.from(part));
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) return;
    const whole = Buffer.concat(this.#chunks);
    this.#head ??= Buffer.from(whole.subarray(0, END_BYTES));
    this.#chunks = [Buffer.from(whole.subarray(-END_BYTES))];
    this.#bytes = END_BYTES;
  }

  #emit(): void {
    const data = Buffer.concat(this.#chunks);
    const head = this.#head;
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#onRecord(head === undefined ? { data } : { data: head, tail: data.subarray(-END_BYTES) });
  }
}
