import { Call, endedCall } from "./call.js";
import type { CallFacts, CallOptions } from "./call.js";
import { twinResult } from "./result-message.js";
import { startCall } from "./start-call.js";
import type { StartCallOptions } from "./start-call.js";
import type { SharedCall } from "./turn-windows.js";

/** Makes the call of a twin: a reader of the run of an equal call, or one with its result. Throws CallNotKept. */
export async function joinTwin(
  facts: CallFacts,
  options: StartCallOptions & {
    readonly shared: SharedCall;
    readonly callOptions: Omit<CallOptions, "run">;
    readonly hasEffect: boolean;
  },
): Promise<Call> {
  const { shared, callOptions, hasEffect } = options;
  const { run, sourceId } = shared;
  const result = run.result;
  if (result === undefined) {
    const twin = new Call(facts, { ...callOptions, run });
    try {
      await startCall(twin, options);
    } catch (error) {
      run.forget(twin);
      throw error;
    }
    return twin;
  }
  const twin = endedCall(facts, {
    result: twinResult(result, { sourceId, hasEffect }),
    lastSeq: 1,
    generation: run.generation,
  });
  await startCall(twin, options);
  if (twin.result !== undefined) await callOptions.keep?.(twin, twin.result);
  return twin;
}
