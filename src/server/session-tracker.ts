import { constants } from "node:http2";
import type { Http2Session, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { setImmediate as afterThisEvent } from "node:timers/promises";

import { ResetBudget } from "./reset-budget.js";
import type { ServerLog } from "./server-log.js";

/** Options of SessionTracker. */
export interface SessionTrackerOptions {
  /** A session without a stream for so long is closed, in ms. Pings do not count. */
  readonly idleMs: number;
  readonly log: ServerLog;
  /** The time in ms. */
  readonly now: () => number;
}

/** Requests of one session that its client may take back at once, and in a second. */
const resetBurst = 256;
const resetsPerSecond = 100;

/** How long the client of an ended session may take to read why, in ms. */
const goawayMs = 250;

/** Knows every HTTP/2 session: closes idle ones and those that flood, and says goodbye to all of them. */
export class SessionTracker {
  readonly #options: SessionTrackerOptions;
  readonly #sessions = new Map<Http2Session, Socket>();
  readonly #waiting = new Set<() => void>();

  constructor(options: SessionTrackerOptions) {
    this.#options = options;
  }

  /** Number of open sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  /** The socket below a session. Undefined once the session is gone or is being ended for flooding. */
  readonly socketOf = (session: Http2Session): Socket | undefined => this.#sessions.get(session);

  /** Watches a new session until it closes. */
  add(session: ServerHttp2Session, socket: Socket): void {
    const { idleMs } = this.#options;
    const budget = new ResetBudget({ burst: resetBurst, perSecond: resetsPerSecond, now: this.#options.now });
    let streams = 0;
    const closeIdle = (): void => session.close();
    let idleTimer = setTimeout(closeIdle, idleMs);
    this.#sessions.set(session, socket);
    session.on("stream", (stream: ServerHttp2Stream) => {
      streams += 1;
      clearTimeout(idleTimer);
      const countReset = (): void => {
        if (this.#sessions.has(session) && !budget.spend()) this.#endFlood(session, socket);
      };
      if (stream.aborted) countReset();
      else stream.once("aborted", countReset);
      const countEnd = (): void => {
        streams -= 1;
        if (streams === 0 && !session.destroyed) idleTimer = setTimeout(closeIdle, idleMs);
      };
      if (stream.destroyed) countEnd();
      else stream.once("close", countEnd);
    });
    session.once("close", () => {
      clearTimeout(idleTimer);
      this.#forget(session);
    });
  }

  /** Sends GOAWAY on every session. Each ends with its last stream. */
  goAway(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  /** Ends every session and its streams, after the event at hand. Resolves once they are ended. */
  async destroyAll(): Promise<void> {
    await afterThisEvent();
    for (const session of this.#sessions.keys()) session.destroy();
  }

  /** Resolves once no session is open, at the latest after `timeoutMs`. */
  async whenEmpty(timeoutMs: number): Promise<void> {
    if (this.#sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, timeoutMs);
      this.#waiting.add(settle);
    });
  }

  /** Ends a session after the event at hand: inside of an event of its own it must not be destroyed. */
  #endFlood(session: ServerHttp2Session, socket: Socket): void {
    this.#options.log.warn(
      { remoteAddress: socket.remoteAddress, resetsAtOnce: resetBurst, resetsPerSecond },
      "closed an HTTP/2 session whose client took back requests too fast",
    );
    this.#forget(session);
    const reason = new Error("the client took back requests too fast");
    setImmediate(() => session.destroy(reason, constants.NGHTTP2_ENHANCE_YOUR_CALM));
    const cut = setTimeout(() => socket.destroy(), goawayMs);
    socket.once("close", () => clearTimeout(cut));
  }

  #forget(session: ServerHttp2Session): void {
    this.#sessions.delete(session);
    if (this.#sessions.size === 0) for (const wake of this.#waiting) wake();
  }
}
