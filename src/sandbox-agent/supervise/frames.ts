/** Types of the frames that the agent sends to the supervisor process of a run. */
export const Command = { start: 1, stdin: 2, stdinEnd: 3, terminate: 4, credit: 5 } as const;

/** Types of the frames that the supervisor process of a run sends to the agent. */
export const Report = {
  started: 1,
  failed: 2,
  stdout: 3,
  stderr: 4,
  exit: 5,
  killed: 6,
  gone: 7,
  stdinTaken: 8,
} as const;

/** Bytes of a frame before its payload: length (4, low byte first) and type (1). */
export const FRAME_HEADER_BYTES = 5;

/** Bytes of output that may be under way to a listener that is paused. */
export const OUTPUT_WINDOW_BYTES = 256 * 1024;

/** Bytes of standard input that may be under way to a process that does not read. */
export const STDIN_WINDOW_BYTES = 64 * 1024;

/** Encodes one frame. */
export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.byteLength);
  frame.writeUInt32LE(payload.byteLength, 0);
  frame[4] = type;
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/** Encodes a frame whose payload is a list of numbers of 32 bits. */
export function encodeNumbers(type: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.allocUnsafe(numbers.length * 4);
  numbers.forEach((value, index) => payload.writeUInt32LE(value, index * 4));
  return encodeFrame(type, payload);
}
