/** Receives the content of frames, in order, as soon as it is there. */
export interface FrameSink {
  onStdout(data: Buffer): void;
  onStderr(data: Buffer): void;
}

const HEADER_BYTES = 8;
const STDOUT = 1;
const STDERR = 2;
const ENGINE_ERROR = 3;

/**
 * Takes the engine's multiplexed stream apart: frames of a type, three zero bytes, a length and that many bytes. Chunks may
 * be cut anywhere, inside a header too. Content is never copied or held.
 */
export class FrameParser {
  readonly #sink: FrameSink;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #type = 0;
  #left = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** True if a frame has begun and not ended. */
  get isMidFrame(): boolean {
    return this.#headerBytes > 0 || this.#left > 0;
  }

  /** Takes the next bytes of the stream. Throws if they cannot be a frame. */
  add(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length) {
      offset += this.#left > 0 ? this.#takeContent(chunk, offset) : this.#takeHeader(chunk, offset);
    }
  }

  #takeHeader(chunk: Buffer, offset: number): number {
    const taken = chunk.copy(
      this.#header,
      this.#headerBytes,
      offset,
      offset + HEADER_BYTES - this.#headerBytes,
    );
    this.#headerBytes += taken;
    if (this.#headerBytes < HEADER_BYTES) return taken;
    this.#headerBytes = 0;
    this.#type = this.#header.readUInt8(0);
    this.#left = this.#header.readUInt32BE(4);
    if (this.#type !== STDOUT && this.#type !== STDERR && this.#type !== ENGINE_ERROR) {
      throw new Error(`the engine's stream has a frame of the unknown type ${this.#type}`);
    }
    return taken;
  }

  #takeContent(chunk: Buffer, offset: number): number {
    const data = chunk.subarray(offset, offset + this.#left);
    this.#left -= data.length;
    if (this.#type === STDOUT) this.#sink.onStdout(data);
    else this.#sink.onStderr(data);
    return data.length;
  }
}
