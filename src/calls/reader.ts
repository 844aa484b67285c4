import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { CallEventSchema } from "../../gen/handrail/v1/events_pb.js";
import type { Accepted, CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { AbortReason } from "./abort-reason.js";
import type { Call } from "./call.js";

/** Options of readCall. */
export interface ReadCallOptions {
  readonly call: Call;
  /** The first event of the stream. */
  readonly accepted: Accepted;
  /** The last seq that the reader has. */
  readonly afterSeq: number;
  /** Ends the reading; the reason tells why the reader leaves. */
  readonly signal: AbortSignal;
  /** Quiet time before a heartbeat, in ms. */
  readonly heartbeatMs: number;
}

/**
 * One reader of a call: `accepted`, the events after `afterSeq`, then the live ones to the result. While nothing comes
 * it sends heartbeats. When its signal aborts it leaves the call and rejects with the reason.
 */
export function readCall(options: ReadCallOptions): AsyncIterableIterator<CallEvent> {
  return new CallReader(options);
}

/** Why a reader leaves that has the whole call. One for all: the making of an error costs a stack trace. */
const CLIENT_HAS_ALL = new AbortReason("client");

class CallReader implements AsyncIterableIterator<CallEvent> {
  readonly #options: ReadCallOptions;
  readonly #follow: ReturnType<Call["journal"]["follow"]>;
  readonly #leaveRun: (reason: AbortReason) => void;
  #acceptedSent = false;
  #left = false;

  constructor(options: ReadCallOptions) {
    this.#options = options;
    this.#follow = options.call.journal.follow(options.afterSeq);
    this.#leaveRun = options.call.addReader();
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async next(): Promise<IteratorResult<CallEvent>> {
    const { call, signal } = this.#options;
    if (!this.#acceptedSent) {
      this.#acceptedSent = true;
      return this.#emit({ case: "accepted", value: this.#options.accepted });
    }
    for (;;) {
      signal.throwIfAborted();
      const next = call.journal.take(this.#follow.cursor);
      if (next.kind === "event") return { done: false, value: next.event };
      if (next.kind === "gap") {
        const { fromSeq, toSeq } = next;
        return this.#emit({ case: "gap", value: { $typeName: "handrail.v1.Gap", fromSeq, toSeq } });
      }
      if (next.kind === "end") {
        this.#leave(CLIENT_HAS_ALL);
        return { done: true, value: undefined };
      }
      if (await this.#quiet()) {
        return this.#emit({ case: "heartbeat", value: { $typeName: "handrail.v1.Heartbeat" } });
      }
    }
  }

  return(): Promise<IteratorResult<CallEvent>> {
    this.#leave(this.#reason());
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #emit(event: CallEvent["event"]): IteratorResult<CallEvent> {
    const value = create(CallEventSchema, {
      time: timestampFromMs(Date.now()),
      generation: this.#options.call.run.generation,
      event,
    });
    return { done: false, value };
  }

  /** Waits for the next event; true if the time for a heartbeat has come first. */
  #quiet(): Promise<boolean> {
    const { call, signal, heartbeatMs } = this.#options;
    return new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        end();
      };
      const onAbort = () => finish(() => reject(this.#reason()));
      const timer = setTimeout(() => finish(() => resolve(true)), heartbeatMs);
      signal.addEventListener("abort", onAbort, { once: true });
      void call.journal.changed().then(() => finish(() => resolve(false)));
    });
  }

  #reason(): AbortReason {
    const reason: unknown = this.#options.signal.reason;
    return reason instanceof AbortReason ? reason : new AbortReason("client");
  }

  readonly #onAbort = (): void => this.#leave(this.#reason());

  #leave(reason: AbortReason): void {
    if (this.#left) return;
    this.#left = true;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#follow.leave();
    this.#leaveRun(reason);
  }
}
