import type { Interceptor } from "@connectrpc/connect";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { kAdmitted, kCall } from "../calls/call-context.js";
import { cutResult } from "../calls/cut-result.js";
import type { KeepWhole } from "../calls/cut-result.js";
import { onExecuteTool } from "./execute-tool.js";
import { flatMapIterable } from "./flat-map-iterable.js";

/** What truncation needs. */
export interface TruncateOptions {
  readonly keepWhole: KeepWhole;
}

/** Cuts the text of a result to the cap of its call, and has the whole kept where it can be read. */
export function truncate({ keepWhole }: TruncateOptions): Interceptor {
  return onExecuteTool(async ({ request }, next) => {
    const limits = request.contextValues.get(kAdmitted)?.limits;
    const response = await next(request);
    const call = request.contextValues.get(kCall);
    if (limits === undefined || call === undefined) return response;
    const events = response.message as AsyncIterable<ExecuteToolResponse>;
    const message = flatMapIterable(events, async (item) => {
      const event = item.event?.event;
      if (event?.case === "result") await cutResult(event.value, { call, limits, keepWhole });
      return [item];
    });
    return { ...response, message };
  });
}
