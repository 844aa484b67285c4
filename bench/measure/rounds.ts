import { median } from "./statistics.js";

/** A figure of each contestant in one round, by name. */
export type Figures<Name extends string> = Readonly<Record<Name, number>>;

/** What rounds came to. */
export interface Rounds<Name extends string> {
  /** The median of a contestant's figures. */
  figure(name: Name): number;
  /** The median of the quotients of two contestants, taken round by round. */
  ratio(over: Name, under: Name): number;
}

/** How long interleave goes on. */
export interface RoundsBudget {
  /** Most rounds. */
  readonly rounds: number;
  /** After this long no further round begins, in ms; two are always made. */
  readonly budgetMs: number;
}

const LEAST_ROUNDS = 2;

/**
 * Measures all contestants once in each round, every second round in reverse order, so that what else the machine does
 * meets all of them alike.
 */
export async function interleave<Name extends string>(
  contestants: Readonly<Record<Name, () => Promise<number>>>,
  { rounds, budgetMs }: RoundsBudget,
): Promise<Rounds<Name>> {
  const names = Object.keys(contestants) as Name[];
  const all: Figures<Name>[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    if (round >= LEAST_ROUNDS && performance.now() - startedAt > budgetMs) break;
    const order = round % 2 === 0 ? names : [...names].reverse();
    const figures: [Name, number][] = [];
    for (const name of order) figures.push([name, await contestants[name]()]);
    all.push(Object.fromEntries(figures) as Figures<Name>);
  }
  return {
    figure: (name) => median(all.map((figures) => figures[name])),
    ratio: (over, under) => median(all.map((figures) => figures[over] / figures[under])),
  };
}
