import { create } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { SandboxPhase } from "../../gen/handrail/v1/events_pb.js";
import { ExecuteToolResponseSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { afterLoss, lossOf } from "../calls/after-loss.js";
import { faultResult } from "../calls/call-fault.js";
import type { Call } from "../calls/call.js";
import { kAdmitted, kCall } from "../calls/call-context.js";
import type { EventBody } from "../calls/journal.js";
import type { Recoveries } from "../calls/recoveries.js";
import { resultMessage } from "../calls/result-message.js";
import { onExecuteTool } from "./execute-tool.js";
import { OneMessage } from "./input.js";

/** What recovery needs. */
export interface RecoverOptions {
  readonly recoveries: Recoveries;
  /** Hears of errors that are bugs of the service. */
  readonly onBug: (error: unknown, call: Call) => void;
}

type Events = AsyncIterator<ExecuteToolResponse>;

/** Replaces a sandbox that was lost under a call, and runs the call once more where that can do no harm. */
export function recover({ recoveries, onBug }: RecoverOptions): Interceptor {
  return onExecuteTool(async ({ input, request }, next) => {
    const call = request.contextValues.get(kCall);
    const admitted = request.contextValues.get(kAdmitted);
    const response = await next(request);
    if (call === undefined || admitted === undefined || "refusal" in admitted) return response;
    const { run } = call;
    const tellBug = (error: unknown) => onBug(error, call);

    const resultOf = (returned: Parameters<typeof resultMessage>[1]): EventBody => {
      run.conclude();
      const { createdAtMs: cameAtMs } = call.facts;
      return { case: "result", value: resultMessage(run, returned, { cameAtMs, now: Date.now() }) };
    };

    const goOn = async (error: unknown): Promise<Events> => {
      const loss = lossOf(error);
      if (loss === undefined) throw error;
      try {
        const { tool, prepared } = admitted;
        const after = await afterLoss(error, loss, {
          ...{ call, tool, prepared, recoveries, now: Date.now() },
          onBug: tellBug,
        });
        if ("result" in after) return eventsOf([resultOf(after.result)]);
      } catch (failure) {
        return eventsOf([resultOf(faultResult(failure, { onBug: tellBug }))]);
      }
      run.attempt += 1;
      run.begun = "no";
      const again = await next({ ...request, message: new OneMessage(input) });
      return (again.message as AsyncIterable<ExecuteToolResponse>)[Symbol.asyncIterator]();
    };
    const first = (response.message as AsyncIterable<ExecuteToolResponse>)[Symbol.asyncIterator]();
    return { ...response, message: new RecoveringEvents(first, goOn) };
  });
}

/** The events of a call; where they break off for the loss of a sandbox, those that follow its recovery. */
class RecoveringEvents implements AsyncIterableIterator<ExecuteToolResponse> {
  #events: Events;
  readonly #goOn: (error: unknown) => Promise<Events>;
  #coming: Promise<Events> | undefined;

  constructor(events: Events, goOn: (error: unknown) => Promise<Events>) {
    this.#events = events;
    this.#goOn = goOn;
  }

  async next(): Promise<IteratorResult<ExecuteToolResponse>> {
    if (this.#coming !== undefined) {
      this.#events = await this.#coming;
      this.#coming = undefined;
    }
    try {
      return await this.#events.next();
    } catch (error) {
      const loss = lossOf(error);
      if (loss === undefined) throw error;
      this.#coming = this.#goOn(error);
      this.#coming.catch(() => undefined);
      return { done: false, value: response(recovering(loss.kind)) };
    }
  }

  async return(): Promise<IteratorResult<ExecuteToolResponse>> {
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function recovering(kind: string): EventBody {
  const message =
    kind === "sandbox"
      ? "the sandbox is gone and is being replaced; its files are kept"
      : "the agent process of the sandbox was lost";
  return {
    case: "sandbox",
    value: { $typeName: "handrail.v1.SandboxStatus", phase: SandboxPhase.RECOVERING, message },
  };
}

function response(event: EventBody): ExecuteToolResponse {
  return create(ExecuteToolResponseSchema, { event: { event } });
}

function eventsOf(bodies: readonly EventBody[]): Events {
  const left = [...bodies];
  return {
    next() {
      const body = left.shift();
      return Promise.resolve(
        body === undefined ? { done: true, value: undefined } : { done: false, value: response(body) },
      );
    },
  };
}
