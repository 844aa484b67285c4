import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createContextValues } from "@connectrpc/connect";
import type { ContextValues, Interceptor, StreamRequest, StreamResponse } from "@connectrpc/connect";
import { ExecuteToolRequestSchema, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolRequest, ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";

/** The handler at the end of the chain: the events of one call. */
export type ExecuteToolHandler = (
  request: ExecuteToolRequest,
  context: { signal: AbortSignal; values: ContextValues },
) => AsyncIterable<ExecuteToolResponse>;

/** Options of one local call. */
export interface LocalCallOptions {
  readonly signal: AbortSignal;
  /** Puts in what the listener puts in for a call that comes by the network: at least the principal. */
  readonly prepare: (values: ContextValues) => void;
  /** Headers that the chain reads, such as the deadline. Default: none. */
  readonly header?: Headers;
}

/** Runs tools for callers inside the process, by the same chain and handler as the wire. */
export interface LocalClient {
  execute(
    request: MessageInitShape<typeof ExecuteToolRequestSchema>,
    options: LocalCallOptions,
  ): AsyncIterable<ExecuteToolResponse>;
}

/** Folds the chain over the handler. */
export function createLocalClient(options: {
  interceptors: readonly Interceptor[];
  handler: ExecuteToolHandler;
}): LocalClient {
  const innermost = async (request: StreamRequest): Promise<StreamResponse> => {
    const [message] = await collect(request.message as AsyncIterable<ExecuteToolRequest>);
    if (message === undefined) throw new Error("ExecuteTool came without a message");
    const { signal, contextValues, service, method } = request;
    return {
      stream: true,
      service,
      method,
      header: new Headers(),
      trailer: new Headers(),
      message: options.handler(message, { signal, values: contextValues }),
    };
  };
  const chain = options.interceptors.reduceRight<(request: StreamRequest) => Promise<StreamResponse>>(
    (next, interceptor) => interceptor(next as Parameters<Interceptor>[0]) as typeof next,
    innermost,
  );
  return {
    async *execute(request, { signal, prepare, header = new Headers() }) {
      const contextValues = createContextValues();
      prepare(contextValues);
      const response = await chain({
        stream: true,
        service: ToolService,
        method: ToolService.method.executeTool,
        requestMethod: "POST",
        url: "local:/handrail.v1.ToolService/ExecuteTool",
        header,
        signal,
        contextValues,
        message: single(create(ExecuteToolRequestSchema, request)),
      });
      yield* response.message as AsyncIterable<ExecuteToolResponse>;
    },
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function* single<T>(item: T): AsyncGenerator<T> {
  await Promise.resolve();
  yield item;
}
