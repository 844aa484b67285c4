/** Which output of a process. */
export type OutputName = "stdout" | "stderr";

/** Options of OutputCoalescer. */
export interface OutputCoalescerOptions {
  /** Sends at most 64 KiB. A returned promise says how long to hold the process back; it never rejects. */
  readonly send: (name: OutputName, data: Uint8Array) => Promise<void> | undefined;
  /** Called when the process should be held back, and when it may go on. */
  readonly onHeld: (held: boolean) => void;
}

const maxPieceBytes = 64 * 1024;

/** Joins output that arrives in one turn of the event loop and cuts it into pieces of at most 64 KiB, in order. */
export class OutputCoalescer {
  readonly #options: OutputCoalescerOptions;
  #name: OutputName = "stdout";
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #timer: NodeJS.Immediate | undefined;
  #holds = 0;

  constructor(options: OutputCoalescerOptions) {
    this.#options = options;
  }

  /** True while the process should be held back. */
  get held(): boolean {
    return this.#holds > 0;
  }

  /** Takes output. The bytes must not change afterwards. */
  add(name: OutputName, data: Uint8Array): void {
    if (name !== this.#name) this.flush();
    this.#name = name;
    for (let at = 0; at < data.byteLength;) {
      const part = data.subarray(at, at + maxPieceBytes - this.#bytes);
      this.#parts.push(part);
      this.#bytes += part.byteLength;
      at += part.byteLength;
      if (this.#bytes === maxPieceBytes) this.flush();
    }
    if (this.#bytes > 0) this.#timer ??= setImmediate(() => this.flush());
  }

  /** Sends what is there. */
  flush(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    const [first] = this.#parts;
    if (first === undefined) return;
    const data = this.#parts.length === 1 ? first : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    const pending = this.#options.send(this.#name, data);
    if (pending === undefined) return;
    this.#hold(1);
    void pending.then(() => this.#hold(-1));
  }

  #hold(change: 1 | -1): void {
    const before = this.held;
    this.#holds += change;
    if (before !== this.held) this.#options.onHeld(this.held);
  }
}
