import { equals } from "@bufbuild/protobuf";
import { Admitted, Outcome, ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { CallRecord } from "./call-record.js";

/** What a fault run came to. The lists name what is wrong. */
export interface Judgement {
  readonly kills: number;
  readonly calls: number;
  readonly doubleStarts: readonly string[];
  readonly lostResults: readonly string[];
  readonly orphans: readonly string[];
  /** Where the service's own counters differ. */
  readonly miscounts: readonly string[];
  /** How many calls ended in each outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Calls whose witness does not fit what their result says, or that nobody made. */
  readonly falseResults: readonly string[];
}

/** Judges every call by its witness and by what the service says of it at the end. */
export function judgeCalls(
  records: readonly CallRecord[],
  options: { witnessed: ReadonlyMap<string, number>; kept: ReadonlyMap<string, Result | undefined> },
): Omit<Judgement, "kills" | "orphans" | "miscounts"> {
  const { witnessed, kept } = options;
  const doubleStarts: string[] = [];
  const lostResults: string[] = [];
  const falseResults: string[] = [];
  const outcomes = new Map<string, number>();
  const unknown = new Set(witnessed.keys());
  for (const { callId, results, sends } of records) {
    unknown.delete(callId);
    const starts = witnessed.get(callId) ?? 0;
    const last = kept.get(callId);
    const outcome = last === undefined ? "no result" : Outcome[last.outcome];
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const about = `${callId} (${outcome}, sent ${sends}×, started ${starts}×)`;
    if (starts > 1) doubleStarts.push(about);
    const isKept =
      last !== undefined && results.length > 0 && results.every((seen) => equals(ResultSchema, seen, last));
    if (!isKept) lostResults.push(about);
    if (last !== undefined && !isTrue(last, starts)) falseResults.push(about);
  }
  for (const callId of unknown) falseResults.push(`${callId} was never sent`);
  return { calls: records.length, outcomes, doubleStarts, lostResults, falseResults };
}

/** True if a call with that result may have started so often. */
function isTrue({ outcome, error }: Result, starts: number): boolean {
  if (outcome === Outcome.OK) return starts === 1;
  if (error?.admitted === Admitted.NO) return starts === 0;
  return starts <= 1;
}

/** The judgements of several runs as one. */
export function addUp(judgements: readonly Judgement[]): Judgement {
  const outcomes = new Map<string, number>();
  for (const judgement of judgements)
    for (const [outcome, count] of judgement.outcomes)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
  return {
    kills: judgements.reduce((sum, { kills }) => sum + kills, 0),
    calls: judgements.reduce((sum, { calls }) => sum + calls, 0),
    outcomes,
    doubleStarts: judgements.flatMap(({ doubleStarts }) => doubleStarts),
    lostResults: judgements.flatMap(({ lostResults }) => lostResults),
    orphans: judgements.flatMap(({ orphans }) => orphans),
    miscounts: judgements.flatMap(({ miscounts }) => miscounts),
    falseResults: judgements.flatMap(({ falseResults }) => falseResults),
  };
}

/** A judgement in one line. */
export function lineOf(judgement: Judgement): string {
  const { kills, calls, doubleStarts, lostResults, orphans } = judgement;
  return (
    `${kills} kills, ${calls} calls, ${doubleStarts.length} double starts, ` +
    `${lostResults.length} lost results, ${orphans.length} orphans`
  );
}
