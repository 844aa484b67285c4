/** Where a gate hands output to. */
export interface OutputGateOptions {
  readonly onOutput: (stream: "stdout" | "stderr", data: Uint8Array) => void;
  /** Hears how many bytes were handed over, whenever `everyBytes` of them have gathered. Default: nobody. */
  readonly credit?: { readonly everyBytes: number; readonly grant: (bytes: number) => void };
}

/** Hands output on in order, unless it is closed; what waits is bounded by the credit of the sender. Starts closed. */
export class OutputGate {
  readonly #options: OutputGateOptions;
  readonly #waiting: { stream: "stdout" | "stderr"; data: Uint8Array }[] = [];
  #open = false;
  #uncredited = 0;
  #finish: (() => void) | undefined;

  constructor(options: OutputGateOptions) {
    this.#options = options;
  }

  /** Takes output. */
  push(stream: "stdout" | "stderr", data: Uint8Array): void {
    this.#waiting.push({ stream, data });
    this.#flow();
  }

  /** Calls `onFinished` once all output was handed on. */
  finish(onFinished: () => void): void {
    this.#finish = onFinished;
    this.#flow();
  }

  /** Lets output through, or holds it back. */
  setOpen(open: boolean): void {
    this.#open = open;
    this.#flow();
  }

  #flow(): void {
    while (this.#open) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#options.onOutput(next.stream, next.data);
      this.#uncredited += next.data.byteLength;
      const { credit } = this.#options;
      if (credit === undefined || this.#uncredited < credit.everyBytes) continue;
      credit.grant(this.#uncredited);
      this.#uncredited = 0;
    }
    if (!this.#open || this.#finish === undefined || this.#waiting.length > 0) return;
    const finish = this.#finish;
    this.#finish = undefined;
    finish();
  }
}
