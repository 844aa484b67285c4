import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { CallEventSchema } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";

/** A call event before it has a number. */
export type EventBody = Exclude<
  CallEvent["event"],
  { case: undefined } | { case: "accepted" | "gap" | "heartbeat" }
>;

/** What an output event costs in memory beside its bytes, about. */
const EVENT_OVERHEAD_BYTES = 256;

interface Entry {
  readonly event: CallEvent;
  /** Cost of live output; 0 for events that are always kept. */
  readonly bytes: number;
  /** Cost of all live output up to and with this event. */
  readonly endOffset: number;
}

/** Options of a Journal. */
export interface JournalOptions {
  /** Most bytes of live output that are held for readers. Default 1 MiB. */
  readonly liveBytes?: number;
  /** How long a reader that takes nothing holds the call back before it gets a gap, in ms. Default 250. */
  readonly patienceMs?: number;
  /** Number of the first event that it has; those before are left out. Default 1. */
  readonly firstSeq?: number;
  readonly now?: () => number;
}

/** A place in a journal that follows it. */
export interface Cursor {
  /** The last seq that was taken. */
  seq: number;
  /** Cost of all live output up to that seq. */
  offset: number;
}

/** What a cursor meets next. */
export type Next =
  | { readonly kind: "event"; readonly event: CallEvent }
  | { readonly kind: "gap"; readonly fromSeq: number; readonly toSeq: number }
  | { readonly kind: "wait" }
  | { readonly kind: "end" };

/**
 * The events of one call, numbered 1, 2, 3 and so on. Every event but live output is kept to the end; of the output the
 * newest `liveBytes`. A reader that keeps up misses nothing; one that stalls holds the call back for `patienceMs` and
 * then meets a gap.
 */
export class Journal {
  readonly #liveBytes: number;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #entries: Entry[] = [];
  readonly #cursors = new Set<Cursor>();
  readonly #stalled = new WeakSet<Cursor>();
  #wake: (() => void)[] = [];
  #progress: (() => void)[] = [];
  #outputBytes = 0;
  #endOffset = 0;
  #lastSeq = 0;
  #ended = false;
  #restBytes = Number.POSITIVE_INFINITY;

  constructor(options: JournalOptions = {}) {
    this.#liveBytes = options.liveBytes ?? 1024 * 1024;
    this.#patienceMs = options.patienceMs ?? 250;
    this.#now = options.now ?? Date.now;
    this.#lastSeq = (options.firstSeq ?? 1) - 1;
  }

  /** The highest number so far. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** True once the result stands in it. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Begins with what another journal has, at the same numbers. Only for a journal without events. */
  seed(other: Journal): void {
    if (this.#lastSeq > 0) throw new Error("a journal that has events cannot be seeded");
    this.#entries.push(...other.#entries);
    this.#lastSeq = other.#lastSeq;
    this.#outputBytes = other.#outputBytes;
    this.#endOffset = other.#endOffset;
  }

  /**
   * Adds an event; a result ends the journal and anything after it is refused. A returned promise asks the writer of
   * output to wait for readers that keep up.
   */
  append(body: EventBody, generation: number): void | Promise<void> {
    if (this.#ended) throw new Error(`the journal has ended: no ${body.case} after the result`);
    this.#lastSeq += 1;
    const event = create(CallEventSchema, {
      seq: this.#lastSeq,
      time: timestampFromMs(this.#now()),
      generation,
      event: body,
    });
    const bytes = body.case === "output" ? body.value.data.byteLength + EVENT_OVERHEAD_BYTES : 0;
    this.#outputBytes += bytes;
    this.#endOffset += bytes;
    this.#entries.push({ event, bytes, endOffset: this.#endOffset });
    if (body.case === "result") this.#ended = true;
    this.#trim(this.#liveBytes);
    this.#rouse();
    if (bytes > 0 && this.#laggard() !== undefined) return this.#waitForReaders();
  }

  /** Lets go of live output beyond `bytes` as soon as nobody follows; later readers of it meet a gap. */
  shrink(bytes: number): void {
    this.#restBytes = bytes;
    this.#rest();
  }

  /**
   * Follows the journal from behind `afterSeq`; of one that has ended the result is always left. The function that is
   * returned ends it.
   */
  follow(afterSeq: number): { cursor: Cursor; leave: () => void } {
    const seq = Math.min(afterSeq, this.#ended ? this.#lastSeq - 1 : this.#lastSeq);
    const next = this.#find(seq + 1);
    const cursor: Cursor = {
      seq,
      offset: next === undefined ? this.#endOffset : next.endOffset - next.bytes,
    };
    this.#cursors.add(cursor);
    return {
      cursor,
      leave: () => {
        this.#cursors.delete(cursor);
        this.#tellProgress();
        this.#rest();
      },
    };
  }

  /** Takes what comes next for a cursor. */
  take(cursor: Cursor): Next {
    const first = this.#find(cursor.seq + 1);
    if (first === undefined) return this.#ended ? { kind: "end" } : { kind: "wait" };
    if (first.event.seq > cursor.seq + 1) {
      const gap = { kind: "gap", fromSeq: cursor.seq + 1, toSeq: first.event.seq - 1 } as const;
      cursor.seq = gap.toSeq;
      cursor.offset = first.endOffset - first.bytes;
      return gap;
    }
    cursor.seq = first.event.seq;
    cursor.offset = first.endOffset;
    this.#stalled.delete(cursor);
    this.#tellProgress();
    return { kind: "event", event: first.event };
  }

  /** Resolves at the next event. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  #find(seq: number): Entry | undefined {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.event.seq < seq) low = middle + 1;
      else high = middle;
    }
    return this.#entries[low];
  }

  #trim(limit: number): void {
    if (this.#outputBytes <= limit) return;
    let index = 0;
    while (this.#outputBytes > limit && index < this.#entries.length) {
      const entry = this.#entries[index];
      if (entry !== undefined && entry.bytes > 0) {
        this.#outputBytes -= entry.bytes;
        this.#entries.splice(index, 1);
      } else index += 1;
    }
  }

  #rest(): void {
    if (this.#cursors.size === 0) this.#trim(this.#restBytes);
  }

  #laggard(): Cursor | undefined {
    for (const cursor of this.#cursors) {
      if (!this.#stalled.has(cursor) && this.#endOffset - cursor.offset > this.#liveBytes / 2) return cursor;
    }
    return undefined;
  }

  async #waitForReaders(): Promise<void> {
    for (let slow = this.#laggard(); slow !== undefined; slow = this.#laggard()) {
      const before = slow.seq;
      const until = this.#now() + this.#patienceMs;
      for (let left = this.#patienceMs; slow.seq === before && left > 0; left = until - this.#now()) {
        if (!this.#cursors.has(slow)) break;
        await this.#progressWithin(left);
      }
      if (slow.seq === before) this.#stalled.add(slow);
    }
  }

  #progressWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#progress.push(done);
    });
  }

  #rouse(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  #tellProgress(): void {
    if (this.#progress.length === 0) return;
    const waiting = this.#progress;
    this.#progress = [];
    for (const tell of waiting) tell();
  }
}
