import type { AgentClient } from "../sandbox/channel/agent-client.js";

/** What is asked of an agent, and when it was last asked. */
export class Activity {
  #active = 0;
  #lastAtMs: number;
  readonly #now: () => number;

  /** `now` is the time in ms since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#lastAtMs = now();
  }

  /** Requests that are under way. */
  get active(): number {
    return this.#active;
  }

  /** When the last request began or ended, in ms since 1970. */
  get lastAtMs(): number {
    return this.#active > 0 ? this.#now() : this.#lastAtMs;
  }

  /** Counts a request until the promise settles. */
  during(settled: Promise<unknown>): void {
    this.#active += 1;
    const end = (): void => {
      this.#active -= 1;
      this.#lastAtMs = this.#now();
    };
    settled.then(end, end);
  }
}

/** The same client, whose requests are counted. */
export function countedClient(client: AgentClient, activity: Activity): AgentClient {
  return {
    call(method, request, options) {
      const answer = client.call(method, request, options);
      activity.during(answer);
      return answer;
    },
    stream(method, options) {
      const stream = client.stream(method, options);
      activity.during(stream.done);
      return stream;
    },
    closed: client.closed,
    close: () => client.close(),
  };
}
