import type { MessageInitShape } from "@bufbuild/protobuf";
import { Duplex } from "node:stream";
import type { TunnelEndSchema } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { deferred } from "./deferred.js";
import type { Deferred } from "./deferred.js";
import { toError } from "./to-error.js";

/** Most bytes that one side of a tunnel sends beyond what the other says it has taken: 256 KiB. */
export const tunnelWindowBytes = 256 * 1024;

/** Most bytes of one message of a tunnel. */
const pieceBytes = 64 * 1024;

/** Taken bytes are told of once there are so many. */
const tellBytes = tunnelWindowBytes / 4;

/** A message of a tunnel, as it stands in the messages of AnswerDial and Dial. */
export type TunnelMessage =
  | { readonly case: "data"; readonly value: Uint8Array }
  | { readonly case: "takenBytes"; readonly value: number }
  | { readonly case: "end"; readonly value: MessageInitShape<typeof TunnelEndSchema> };

/** What a tunnel needs of the stream that carries it. */
export interface TunnelOptions {
  /** Sends a message. While a returned promise is pending, nothing more is written. */
  readonly send: (message: TunnelMessage) => void | Promise<void>;
  /** Hears once that the tunnel is closed, whether it went well or not. Default: nobody. */
  readonly onClosed?: () => void;
}

type Done = (error?: Error | null) => void;

/**
 * One end of a byte pipe over a stream of the channel. Each direction ends by itself. What was received and not read is at
 * most the window, so the stream that carries the tunnel is always read, and a tunnel that stalls holds up no other.
 */
export class Tunnel extends Duplex {
  readonly #options: TunnelOptions;
  readonly #received: Uint8Array[] = [];
  #receivedBytes = 0;
  #hasEnded = false;
  #isWanted = false;
  #takenBytes = 0;
  #aheadBytes = 0;
  #room: Deferred<void> | undefined;

  constructor(options: TunnelOptions) {
    super({ allowHalfOpen: true });
    this.#options = options;
  }

  /** Takes a message of the other end. */
  receive(message: TunnelMessage): void {
    switch (message.case) {
      case "data":
        this.#receivedBytes += message.value.byteLength;
        if (this.#hasEnded || this.#receivedBytes > tunnelWindowBytes) {
          this.destroy(new Error("the other end of the tunnel sent more than it may"));
          return;
        }
        this.#received.push(message.value);
        this.#deliver();
        return;
      case "takenBytes":
        this.#aheadBytes -= message.value;
        if (this.#aheadBytes < tunnelWindowBytes) this.#makeRoom();
        return;
      case "end":
        this.#hasEnded = true;
        this.#deliver();
        return;
    }
  }

  /** The stream that carries the tunnel has closed. A tunnel that had not ended in both directions is destroyed. */
  lose(cause?: unknown): void {
    if (this.#hasEnded && this.writableFinished) return;
    this.destroy(new Error("the connection broke off", { cause }));
  }

  override _read(): void {
    this.#isWanted = true;
    this.#deliver();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: Done): void {
    this.#sendAll(chunk).then(
      () => done(),
      (error: unknown) => done(toError(error)),
    );
  }

  override _final(done: Done): void {
    Promise.resolve(this.#options.send({ case: "end", value: {} })).then(
      () => done(),
      (error: unknown) => done(toError(error)),
    );
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#received.length = 0;
    this.#makeRoom();
    done(error);
    this.#options.onClosed?.();
  }

  async #sendAll(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; at += pieceBytes) {
      while (this.#aheadBytes >= tunnelWindowBytes - pieceBytes && !this.destroyed) {
        this.#room ??= deferred<void>();
        await this.#room.promise;
      }
      if (this.destroyed) return;
      const value = chunk.subarray(at, at + pieceBytes);
      this.#aheadBytes += value.byteLength;
      await this.#options.send({ case: "data", value });
    }
  }

  #deliver(): void {
    while (this.#isWanted && !this.destroyed) {
      const chunk = this.#received.shift();
      if (chunk === undefined) break;
      this.#receivedBytes -= chunk.byteLength;
      this.#takenBytes += chunk.byteLength;
      this.#isWanted = this.push(chunk);
    }
    if (this.#takenBytes >= tellBytes && !this.destroyed) {
      const value = this.#takenBytes;
      this.#takenBytes = 0;
      void this.#options.send({ case: "takenBytes", value });
    }
    if (this.#hasEnded && this.#received.length === 0 && this.#isWanted) {
      this.#isWanted = false;
      this.push(null);
    }
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
