import type fc from "fast-check";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { endedCall, projectKeyText } from "../../src/calls/call.js";
import type { CallFacts, ProjectKey } from "../../src/calls/call.js";
import type { CallArchive } from "../../src/calls/call-archive.js";

/** Where the effect of an operation stands: before its promise is left to the schedule, or after. */
type Order = "first" | "last";

/** An archive in memory each of whose answers comes when the scheduler lets it. Its first openings may fail. */
export function scheduledArchive(s: fc.Scheduler, { failures = 0 } = {}): CallArchive {
  let failuresLeft = failures;
  const facts = new Map<string, CallFacts>();
  const ends = new Map<string, { result: Result; lastSeq: number; generation: number }>();
  const nameOf = (key: ProjectKey, id: string) => `${projectKeyText(key)}\0${id}`;
  const later = async <T>(what: string, order: Order, act: () => T): Promise<T> => {
    if (order === "first") return s.schedule(Promise.resolve(act()), what);
    await s.schedule(Promise.resolve(), what);
    return act();
  };
  return {
    open: (call) =>
      later(`open ${call.id}`, "last", () => {
        if (failuresLeft > 0) {
          failuresLeft -= 1;
          throw new Error("the disk is full");
        }
        const name = nameOf(call.key, call.id);
        if (facts.has(name)) return false;
        facts.set(name, call.facts);
        return true;
      }),
    close: (call, result) =>
      later(`close ${call.id}`, "last", () => {
        const { journal, run } = call;
        ends.set(nameOf(call.key, call.id), {
          ...{ result, lastSeq: journal.lastSeq + 1, generation: run.generation },
        });
      }),
    find: (key, id) =>
      later(`find ${id}`, "first", () => {
        const name = nameOf(key, id);
        const kept = facts.get(name);
        const end = ends.get(name);
        return kept === undefined || end === undefined ? undefined : endedCall(kept, end);
      }),
    knowsProject: (key) =>
      later("knows", "first", () =>
        [...facts.values()].some((each) => projectKeyText(each.key) === projectKeyText(key)),
      ),
    forgetProject: () => Promise.resolve(),
  };
}
