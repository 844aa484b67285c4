import type { Interceptor, StreamRequest, StreamResponse } from "@connectrpc/connect";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { takeInput } from "./input.js";

/** What an interceptor of ExecuteTool does with one call; `next` takes the request on. */
export type ExecuteToolStep = (
  call: { readonly input: ExecuteToolRequest; readonly request: StreamRequest },
  next: (request: StreamRequest) => Promise<StreamResponse>,
) => Promise<StreamResponse>;

/** An interceptor that works on ExecuteTool and lets every other RPC pass. */
export function onExecuteTool(step: ExecuteToolStep): Interceptor {
  return (next) => async (incoming) => {
    if (incoming.method !== ToolService.method.executeTool || !incoming.stream) return next(incoming);
    const { input, request } = await takeInput(incoming);
    const takeOn = async (onward: StreamRequest): Promise<StreamResponse> => {
      const response = await next(onward);
      if (!response.stream) throw new Error("ExecuteTool answered without a stream");
      return response;
    };
    return step({ input: input as ExecuteToolRequest, request: request as StreamRequest }, takeOn);
  };
}
