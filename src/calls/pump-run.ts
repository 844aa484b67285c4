import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { ClockFired } from "./abort-reason.js";
import { Call, projectKeyText } from "./call.js";
import { faultResult } from "./call-fault.js";
import type { EpochMark, Epochs } from "./epochs.js";
import type { EventBody } from "./journal.js";
import type { Leftovers } from "./leftovers.js";
import { notReached } from "./perform.js";
import { resultMessage, twinResult } from "./result-message.js";
import type { Slots } from "./slots.js";

/** What pumping needs. */
export interface PumpOptions {
  readonly slots: Slots;
  readonly epochs: Epochs;
  readonly leftovers: Leftovers;
  /** Hears of errors that are bugs of the service. */
  readonly onBug: (error: unknown, call: Call) => void;
}

/**
 * Runs the inner half of the chain for the call that starts a run: waits for a place, passes the events on to all calls of
 * the run, and gives each its result, exactly once, whatever happens. Never rejects.
 */
export async function pumpRun(
  call: Call,
  options: PumpOptions & {
    readonly mark: EpochMark;
    /** True if the run may change something. */
    readonly hasEffect: boolean;
    readonly start: () => Promise<AsyncIterable<ExecuteToolResponse>>;
  },
): Promise<void> {
  const { run } = call;
  const onBug = (error: unknown) => options.onBug(error, call);
  const settle = async (result: Result): Promise<void> => {
    if (run.result !== undefined) return;
    options.mark.end();
    if ((result.exit?.processesLeft ?? 0) > 0) options.leftovers.note(call.key);
    run.settle(result);
    const twin = () => twinResult(result, { sourceId: call.id, hasEffect: options.hasEffect });
    await Promise.all(membersOf(call).map((member) => member.settle(member === call ? result : twin())));
  };
  const settleAs = (returned: Parameters<typeof resultMessage>[1]): Promise<void> => {
    run.conclude();
    const cameAtMs = call.facts.createdAtMs;
    return settle(resultMessage(run, returned, { cameAtMs, now: Date.now() }));
  };
  try {
    const release = await takeSlot(call, options.slots);
    try {
      run.markRunning();
      for await (const { event } of await options.start()) {
        const body = event?.event as EventBody | undefined;
        if (body === undefined) continue;
        if (body.case === "result") await settle(body.value);
        else {
          const wait = run.tell(body);
          if (wait !== undefined) await wait;
        }
      }
    } finally {
      release();
    }
    if (run.result === undefined) await settleAs(notReached());
  } catch (error) {
    if (run.result !== undefined) onBug(error);
    else {
      if (error instanceof ClockFired) run.stop(error);
      await settleAs(faultResult(error, { onBug }));
    }
  } finally {
    options.mark.end();
    for (const member of membersOf(call)) member.markOver();
    run.release();
  }
}

async function takeSlot(call: Call, slots: Slots): Promise<() => void> {
  const queuedAt = performance.now();
  const { run, facts } = call;
  try {
    return await slots.take(projectKeyText(call.key), { queueMs: facts.limits.queueMs, signal: run.signal });
  } finally {
    run.timings.queueMs = performance.now() - queuedAt;
  }
}

function membersOf({ run }: Call): Call[] {
  return [...run.members].filter((member): member is Call => member instanceof Call);
}
