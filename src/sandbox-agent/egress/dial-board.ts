import type { Duplex } from "node:stream";
import type { WatchDialsResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { deferred } from "../../sandbox/channel/deferred.js";
import type { Deferred } from "../../sandbox/channel/deferred.js";

/** A connection that a program asks for. */
export type WantedDial = Pick<WatchDialsResponse, "dialId" | "host" | "port">;

/** What came of it. */
export type DialAnswer =
  | { readonly kind: "connected"; readonly stream: Duplex }
  | { readonly kind: "refused"; readonly httpStatus: number; readonly reason: string };

/** A connection that waits for an answer. */
export interface PendingDial {
  readonly answer: Promise<DialAnswer>;
  /** The program does not want it any more. */
  withdraw(): void;
}

const nobodyAnswers: DialAnswer = {
  kind: "refused",
  httpStatus: 503,
  reason: "nobody connects this sandbox to the outside at the moment; try again",
};

/** The connections that programs ask for and that are not answered yet. */
export class DialBoard {
  readonly #pending = new Map<string, Deferred<DialAnswer>>();
  #watcher: ((dial: WantedDial) => void) | undefined;
  #lastId = 0;

  /** Asks for a connection. Without a watcher it is refused. */
  ask({ host, port }: { host: string; port: number }): PendingDial {
    if (this.#watcher === undefined)
      return { answer: Promise.resolve(nobodyAnswers), withdraw: () => undefined };
    this.#lastId += 1;
    const dialId = String(this.#lastId);
    const answer = deferred<DialAnswer>();
    this.#pending.set(dialId, answer);
    this.#watcher({ dialId, host, port });
    return { answer: answer.promise, withdraw: () => this.#pending.delete(dialId) };
  }

  /** Tells `watcher` of every connection from then on, in place of an earlier one, until the returned function is called. */
  watch(watcher: (dial: WantedDial) => void): () => void {
    this.#watcher = watcher;
    return () => {
      if (this.#watcher !== watcher) return;
      this.#watcher = undefined;
      for (const answer of this.#pending.values()) answer.resolve(nobodyAnswers);
      this.#pending.clear();
    };
  }

  /** Answers a connection. False if nobody waits for it. */
  answer(dialId: string, answer: DialAnswer): boolean {
    const pending = this.#pending.get(dialId);
    this.#pending.delete(dialId);
    pending?.resolve(answer);
    return pending !== undefined;
  }
}
