/** What a job is asked or answers: a JSON value and bytes. */
export interface JobMessage {
  readonly header: unknown;
  readonly body: Uint8Array;
}

const PREFIX_BYTES = 8;
const MAX_HEADER_BYTES = 64 * 1024;

/** Writes a message as a frame: header length and body length as 32-bit big-endian numbers, header as JSON, body. */
export function encodeFrame({ header, body }: JobMessage): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(json.length, 0);
  prefix.writeUInt32BE(body.length, 4);
  return [prefix, json, body];
}

/** Reads frames from a byte stream. */
export class FrameReader {
  readonly #maxBodyBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #wantedBytes = PREFIX_BYTES;

  /** Bodies above `maxBodyBytes` are refused. */
  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Adds bytes and gives the messages that are complete. Throws RangeError for a frame too large, SyntaxError. */
  push(chunk: Uint8Array): JobMessage[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: JobMessage[] = [];
    while (this.#bytes >= this.#wantedBytes) {
      const message = this.#take();
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  /** Takes one frame if it is complete, else learns how many bytes it needs. */
  #take(): JobMessage | undefined {
    const buffer = Buffer.concat(this.#chunks);
    this.#chunks = [buffer];
    const headerBytes = buffer.readUInt32BE(0);
    const bodyBytes = buffer.readUInt32BE(4);
    if (headerBytes > MAX_HEADER_BYTES || bodyBytes > this.#maxBodyBytes) {
      throw new RangeError(`a frame of ${headerBytes} + ${bodyBytes} bytes is above the limit`);
    }
    const bodyStart = PREFIX_BYTES + headerBytes;
    this.#wantedBytes = bodyStart + bodyBytes;
    if (buffer.length < this.#wantedBytes) return undefined;
    const header: unknown = JSON.parse(buffer.toString("utf8", PREFIX_BYTES, bodyStart));
    const body = buffer.subarray(bodyStart, this.#wantedBytes);
    this.#chunks = [buffer.subarray(this.#wantedBytes)];
    this.#bytes = buffer.length - this.#wantedBytes;
    this.#wantedBytes = PREFIX_BYTES;
    return { header, body };
  }
}
