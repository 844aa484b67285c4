import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Admitted, Outcome, ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { judgeCalls } from "./judgement.js";

const ok = create(ResultSchema, { outcome: Outcome.OK });
const lost = (admitted: Admitted): Result =>
  create(ResultSchema, { outcome: Outcome.SANDBOX_LOST, error: { admitted } });

/** Judges one call; `kept` is what the service has of it at the end. */
function judge({ seen, kept, starts }: { seen: Result[]; kept: Result | undefined; starts: number }) {
  const judgement = judgeCalls([{ callId: "a", projectId: "p", results: seen, sends: 1 }], {
    witnessed: new Map(starts === 0 ? [] : [["a", starts]]),
    kept: new Map([["a", kept]]),
  });
  const { doubleStarts, lostResults, falseResults } = judgement;
  return [doubleStarts, lostResults, falseResults].map(({ length }) => length);
}

describe("the judgement of a fault run", () => {
  for (const [what, call, verdict] of [
    ["passes a call that ran once", { seen: [ok, ok], kept: ok, starts: 1 }, [0, 0, 0]],
    [
      "passes a lost call that ran or not",
      { seen: [lost(Admitted.YES)], kept: lost(Admitted.YES), starts: 0 },
      [0, 0, 0],
    ],
    ["finds a double start", { seen: [lost(Admitted.YES)], kept: lost(Admitted.YES), starts: 2 }, [1, 0, 1]],
    ["finds a success that never ran", { seen: [ok], kept: ok, starts: 0 }, [0, 0, 1]],
    [
      "finds a start that was denied",
      { seen: [lost(Admitted.NO)], kept: lost(Admitted.NO), starts: 1 },
      [0, 0, 1],
    ],
    ["finds a result that is gone", { seen: [ok], kept: undefined, starts: 1 }, [0, 1, 0]],
    ["finds a result that has changed", { seen: [ok], kept: lost(Admitted.UNKNOWN), starts: 1 }, [0, 1, 0]],
    ["finds a call that never ended", { seen: [], kept: undefined, starts: 1 }, [0, 1, 0]],
  ] as const)
    it(what, () => {
      expect(judge({ ...call, seen: [...call.seen] })).toEqual(verdict);
    });

  it("finds a witness of a call that nobody made", () => {
    const judgement = judgeCalls([], { witnessed: new Map([["b", 1]]), kept: new Map() });
    expect(judgement.falseResults).toEqual(["b was never sent"]);
  });
});
