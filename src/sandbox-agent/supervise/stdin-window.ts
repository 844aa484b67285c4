/** How a window sends. */
export interface StdinWindowOptions {
  /** Most bytes that were sent and not taken. */
  readonly windowBytes: number;
  readonly send: (bytes: Uint8Array) => void;
  readonly sendEnd: () => void;
}

interface PendingWrite {
  rest: Uint8Array;
  readonly done: () => void;
}

/** Sends standard input no faster than the process takes it. */
export class StdinWindow {
  readonly #options: StdinWindowOptions;
  readonly #writes: PendingWrite[] = [];
  #underWay = 0;
  #ending = false;
  #closed = false;

  constructor(options: StdinWindowOptions) {
    this.#options = options;
  }

  /** Resolves when all of `data` was sent, or the window is closed. */
  write(data: Uint8Array): Promise<void> {
    if (this.#closed || this.#ending || data.byteLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writes.push({ rest: data, done: resolve });
      this.#pump();
    });
  }

  /** Sends the end after all that was written. */
  end(): void {
    if (this.#closed || this.#ending) return;
    this.#ending = true;
    this.#pump();
  }

  /** The process took bytes. */
  taken(bytes: number): void {
    this.#underWay -= bytes;
    this.#pump();
  }

  /** Nothing more is sent; pending writes resolve. */
  close(): void {
    this.#closed = true;
    for (const write of this.#writes.splice(0)) write.done();
  }

  #pump(): void {
    for (let write = this.#writes[0]; write !== undefined && !this.#closed; write = this.#writes[0]) {
      const room = this.#options.windowBytes - this.#underWay;
      if (room <= 0) return;
      const piece = write.rest.subarray(0, room);
      this.#underWay += piece.byteLength;
      this.#options.send(piece);
      write.rest = write.rest.subarray(piece.byteLength);
      if (write.rest.byteLength > 0) return;
      this.#writes.shift();
      write.done();
    }
    if (!this.#ending || this.#closed) return;
    this.#options.sendEnd();
    this.close();
  }
}
