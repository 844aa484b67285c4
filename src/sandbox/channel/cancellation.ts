import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import { constants } from "node:http2";
import { encodeFrames, FrameKind } from "./frame.js";
import { readFrames } from "./frame-reader.js";
import { FrameWriter } from "./frame-writer.js";

/**
 * Cancelling by RST_STREAM from the caller's end would end a busy channel: an HTTP/2 server that is reset more than
 * 1,000 times at once, or 33 times a second, closes the session. So the caller names the stream on a stream kept for
 * that, and the agent's end resets it.
 */
export const cancelPath = "/cancel";

/** Cancels streams at the caller's end. */
export type CancelStream = (stream: ClientHttp2Stream) => void;

/** Opens the stream for cancellations. */
export function openCancellation(session: ClientHttp2Session): CancelStream {
  const control = session.request({ ":method": "POST", ":path": cancelPath }, { endStream: false });
  const writer = new FrameWriter(control);
  control.on("error", () => undefined);
  control.resume();
  const send = (streamId: number): void => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(streamId);
    void writer.write(encodeFrames({ kind: FrameKind.message, payload }));
  };
  return (stream) => {
    if (stream.destroyed || stream.closed) return;
    if (stream.id === undefined) stream.once("ready", () => send(stream.id ?? 0));
    else send(stream.id);
  };
}

/** Cancels streams at the agent's end, also those whose cancellation arrives before they do. */
export class Cancellations {
  readonly #live = new Map<number, ServerHttp2Stream>();
  readonly #early = new Set<number>();
  #lastId = 0;

  /** Takes note of a stream. False if it is cancelled: it must not be served. */
  admit(stream: ServerHttp2Stream): boolean {
    const id = stream.id ?? 0;
    this.#lastId = Math.max(this.#lastId, id);
    if (this.#early.delete(id)) {
      stream.on("error", () => undefined);
      stream.close(constants.NGHTTP2_CANCEL);
      return false;
    }
    this.#live.set(id, stream);
    stream.once("close", () => this.#live.delete(id));
    return true;
  }

  /** Obeys the stream for cancellations. Closes the session if what comes on it is malformed. */
  obey(control: ServerHttp2Stream, session: ServerHttp2Session): void {
    control.on("error", () => undefined);
    readFrames(control, {
      onFrame: ({ payload }) => this.#cancel(Buffer.from(payload).readUInt32BE(0)),
      onError: () => session.destroy(),
    });
  }

  #cancel(id: number): void {
    const stream = this.#live.get(id);
    if (stream !== undefined) stream.close(constants.NGHTTP2_CANCEL);
    else if (id > this.#lastId) this.#early.add(id);
  }
}
