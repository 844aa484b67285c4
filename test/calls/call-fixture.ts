import { create } from "@bufbuild/protobuf";
import { Outcome, ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { Call } from "../../src/calls/call.js";
import type { CallFacts, CallOptions } from "../../src/calls/call.js";
import { resultOfLeaving } from "../../src/calls/result-of-leaving.js";
import { Run } from "../../src/calls/run.js";

/** Facts of a call for tests. */
export function factsForTest(facts: Partial<CallFacts> = {}): CallFacts {
  return {
    key: { tenant: "t", project: "p" },
    id: "c1",
    fingerprint: "f",
    tool: "bash",
    toolCallId: "",
    sessionId: "s",
    userId: "u",
    turnId: "turn",
    mode: "build",
    limits: {
      queueMs: 1000,
      runMs: 0,
      workMs: 0,
      deadlineMs: 0,
      idleMs: 0,
      maxTextBytes: 32_768,
      keep: undefined,
    },
    createdAtMs: 1_700_000_000_000,
    sourceId: "",
    onDisconnect: "cancel",
    detachedMs: 60_000,
    ...facts,
  };
}

/** A call for tests, with a run of its own unless one is given. */
export function callForTest(facts: Partial<CallFacts> = {}, options: Partial<CallOptions> = {}): Call {
  return new Call(factsForTest(facts), { run: new Run(), resultOfLeaving, ...options });
}

/** An event of output. */
export function outputForTest(text: string) {
  return {
    case: "output",
    value: { $typeName: "handrail.v1.Output", attempt: 1, stream: 1, data: Buffer.from(text) },
  } as const;
}

/** A result with one text. */
export function resultForTest(
  text: string,
  fields: Partial<Omit<Result, "$typeName" | "$unknown">> = {},
): Result {
  return create(ResultSchema, {
    outcome: Outcome.OK,
    content: [{ part: { case: "text", value: { text } } }],
    ...fields,
  });
}
