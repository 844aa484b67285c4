import { CoveredRuns } from "./covered-runs.js";
import type { Dictionary } from "./dictionary.js";
import { Scanner } from "./scanner.js";

const NOTHING = new Uint8Array(0);
const COVER = "*".charCodeAt(0);

/**
 * Masks one stream of bytes. Holds back no more than the bytes that may begin an occurrence. With `keepsLength` what is
 * masked becomes as many asterisks, so that every other byte stays where it was.
 */
export class ByteMaskStream {
  readonly #masks: readonly Uint8Array[];
  readonly #keepsLength: boolean;
  readonly #scanner: Scanner;
  readonly #runs = new CoveredRuns();
  /** The bytes that end where the next chunk begins, and that are neither given out nor covered. */
  #held: Uint8Array = NOTHING;
  #position = 0;

  constructor(dictionary: Dictionary, { keepsLength = false }: { keepsLength?: boolean } = {}) {
    this.#masks = dictionary.masks;
    this.#keepsLength = keepsLength;
    this.#scanner = new Scanner(dictionary);
  }

  /**
   * Takes a chunk and gives what is certain: the chunk itself if all of it is, else views of it or copies.
   * Keeps no view of the chunk, so that its memory may be used again.
   */
  push(chunk: Uint8Array): Uint8Array {
    this.#scanner.scan(chunk, (occurrence) => this.#runs.add(occurrence));
    return this.#give(chunk, this.#scanner.openFrom);
  }

  /** Ends the stream and gives the rest. A push after it begins another stream. */
  flush(): Uint8Array {
    this.#scanner.reset();
    return this.#give(NOTHING, this.#position);
  }

  /** Gives what lies before a position, and holds back the rest. */
  #give(chunk: Uint8Array, until: number): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const base = this.#position - this.#held.length;
    this.#position += chunk.length;
    const pieces: Uint8Array[] = [];
    let next = Math.max(base, this.#runs.takenEnd);
    if (this.#keepsLength && next > base) pieces.push(cover(next - base));
    const copy = (end: number) => {
      if (end <= next) return;
      const isWhole = end - next === bytes.length;
      pieces.push(isWhole ? bytes : bytes.subarray(next - base, end - base));
      next = end;
    };
    for (const run of this.#runs.take(until)) {
      copy(run.start);
      pieces.push(this.#keepsLength ? cover(run.end - run.start) : (this.#masks[run.owner] ?? NOTHING));
      next = run.end;
    }
    copy(until);
    this.#held = next < this.#position ? new Uint8Array(bytes.subarray(next - base)) : NOTHING;
    const [first = NOTHING] = pieces;
    return pieces.length > 1 ? Buffer.concat(pieces) : first;
  }
}

function cover(length: number): Uint8Array {
  return new Uint8Array(length).fill(COVER);
}
