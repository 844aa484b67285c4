import { create } from "@bufbuild/protobuf";
import { ExecuteToolResponseSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import type { EventBody } from "./journal.js";

interface Waiting {
  resolve(result: IteratorResult<ExecuteToolResponse>): void;
  reject(error: unknown): void;
}

/** Bytes of output that may wait in a channel before its writer is asked to wait. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Carries the events of one run from a tool, which pushes them, to the chain, which pulls them. One reader. */
export class EventChannel implements AsyncIterableIterator<ExecuteToolResponse> {
  #queue: ExecuteToolResponse[] = [];
  #queuedBytes = 0;
  #waiting: Waiting | undefined;
  #roomy: (() => void) | undefined;
  #room: Promise<void> | undefined;
  #end: { error?: Error } | undefined;

  /** Adds an event. While a returned promise is pending, the reader is behind. */
  push(event: EventBody): void | Promise<void> {
    if (this.#end !== undefined) return;
    const message = create(ExecuteToolResponseSchema, { event: { event } });
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: message });
      return;
    }
    this.#queue.push(message);
    this.#queuedBytes += sizeOf(message);
    if (this.#queuedBytes <= HIGH_WATER_BYTES) return;
    this.#room ??= new Promise((resolve) => {
      this.#roomy = resolve;
    });
    return this.#room;
  }

  /** Ends the channel, with an error or without; what was pushed is still read. */
  close(end: { error?: Error } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    if (end.error !== undefined) waiting.reject(end.error);
    else waiting.resolve({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<ExecuteToolResponse>> {
    const message = this.#queue.shift();
    if (message !== undefined) {
      this.#queuedBytes -= sizeOf(message);
      if (this.#queuedBytes <= HIGH_WATER_BYTES / 2) this.#release();
      return Promise.resolve({ done: false, value: message });
    }
    if (this.#end !== undefined) {
      const { error } = this.#end;
      if (error !== undefined) return Promise.reject(error);
      return Promise.resolve({ done: true, value: undefined });
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** The reader leaves: what is pushed from here on is dropped. */
  return(): Promise<IteratorResult<ExecuteToolResponse>> {
    this.#end ??= {};
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#release();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #release(): void {
    this.#roomy?.();
    this.#roomy = undefined;
    this.#room = undefined;
  }
}

function sizeOf(message: ExecuteToolResponse): number {
  const event = message.event?.event;
  return event?.case === "output" ? event.value.data.byteLength : 0;
}
