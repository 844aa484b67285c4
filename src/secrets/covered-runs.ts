import type { Occurrence } from "./scanner.js";

/**
 * Joins occurrences that overlap to runs. The owner of a run is that of its leftmost occurrence, and of the longest
 * of those; what the others have beyond it is covered too.
 */
export class CoveredRuns {
  readonly #runs: Occurrence[] = [];
  #takenEnd = 0;

  /** Up to where the runs taken cover; it grows when an occurrence overlaps the last of them. */
  get takenEnd(): number {
    return this.#takenEnd;
  }

  /** Adds an occurrence, in the order of their ends. */
  add(occurrence: Occurrence): void {
    let { start, owner } = occurrence;
    for (let last = this.#runs.at(-1); last !== undefined && last.end > start; last = this.#runs.at(-1)) {
      this.#runs.pop();
      if (last.start < start) ({ start, owner } = last);
    }
    if (start < this.#takenEnd) this.#takenEnd = occurrence.end;
    else this.#runs.push({ start, end: occurrence.end, owner });
  }

  /** Takes the runs that begin before a position, ahead of which no further occurrence begins. */
  take(before: number): Occurrence[] {
    const count = this.#runs.findIndex(({ start }) => start >= before);
    const taken = this.#runs.splice(0, count < 0 ? this.#runs.length : count);
    this.#takenEnd = taken.at(-1)?.end ?? this.#takenEnd;
    return taken;
  }
}
