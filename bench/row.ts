import type { Kind } from "./parts/service-process.js";

/** A figure with its unit. */
export interface Figure {
  readonly value: number;
  readonly unit: "ms" | "calls/s" | "MB/s" | "MiB" | "processes" | "share" | "gaps";
}

/** What a figure has to be. */
export interface Target {
  /** Which number is judged. */
  readonly of: "ratio" | "figure";
  readonly is: "at least" | "at most" | "below";
  readonly value: number;
}

/** One line of the table. */
export interface Row {
  readonly provider: Kind;
  /** What was measured. */
  readonly what: string;
  readonly ours: Figure;
  /** What it is compared with, measured in the same rounds. */
  readonly yardstick?: { readonly what: string } & Figure;
  /** How the two compare, with what is divided by what. */
  readonly ratio?: { readonly value: number; readonly reads: "times the yardstick" | "times better" };
  readonly target?: Target;
}

/** True if the target of a row is met; undefined if it has none. */
export function isMet({ target, ours, ratio }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  const value = target.of === "ratio" ? ratio?.value : ours.value;
  if (value === undefined) return undefined;
  if (target.is === "at least") return value >= target.value;
  return target.is === "at most" ? value <= target.value : value < target.value;
}
