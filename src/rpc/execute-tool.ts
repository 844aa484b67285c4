import { kAdmitted, kCall } from "../calls/call-context.js";
import type { Call } from "../calls/call.js";
import { EventChannel } from "../calls/event-channel.js";
import type { ExecuteToolHandler } from "../calls/local-client.js";
import { perform } from "../calls/perform.js";
import type { PerformOptions } from "../calls/perform.js";
import { resultMessage } from "../calls/result-message.js";
import type { Admitted } from "../calls/call-context.js";

/** The handler of ExecuteTool, at the end of the chain: performs the call that the seam has started. */
export function executeToolHandler(options: PerformOptions): ExecuteToolHandler {
  return (_request, { values }) => {
    const call = values.get(kCall);
    const admitted = values.get(kAdmitted);
    if (call === undefined || admitted === undefined)
      throw new Error("ExecuteTool was reached without the chain");
    const channel = new EventChannel();
    void feed(channel, { call, admitted, options });
    return channel;
  };
}

async function feed(
  channel: EventChannel,
  { call, admitted, options }: { call: Call; admitted: Admitted; options: PerformOptions },
): Promise<void> {
  try {
    const returned = await perform(call, admitted, { ...options, emit: (event) => channel.push(event) });
    call.run.conclude();
    void channel.push({
      case: "result",
      value: resultMessage(call.run, returned, { cameAtMs: call.facts.createdAtMs, now: Date.now() }),
    });
    channel.close();
  } catch (error) {
    channel.close({
      error: error instanceof Error ? error : new Error("the handler threw", { cause: error }),
    });
  }
}
