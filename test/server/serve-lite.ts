import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";

import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { anonymous } from "../../src/server/authenticate.js";
import type { RunningServer, ServerOptions } from "../../src/server/server-options.js";
import { startServer } from "../../src/server/server.js";

/** A server of a test, and what its log heard. */
export interface TestServer extends RunningServer {
  readonly logged: string[];
}

/** Serves ToolService on a free loopback port until the test ends. */
export async function serve(
  tools: Partial<ServiceImpl<typeof ToolService>> = {},
  overrides: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const logged: string[] = [];
  const write = (_fields: object, message: string): void => void logged.push(message);
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    authenticate: anonymous(),
    allowedHosts: [],
    allowedOrigins: [],
    interceptors: [],
    routes: (router) => router.service(ToolService, { listTools: () => ({ etag: "v1" }), ...tools }),
    log: { info: write, warn: write, error: write },
    ...overrides,
  });
  return Object.assign(server, { logged });
}

/** An event of ExecuteTool with output of this many bytes. */
export function outputEvent(bytes: number) {
  return { event: { event: { case: "output" as const, value: { data: new Uint8Array(bytes) } } } };
}

/** A tool that sends one event and then waits until its signal aborts. */
export function waitingTool() {
  const calls: { readonly request: ExecuteToolRequest; readonly context: HandlerContext }[] = [];
  const { promise: started, resolve: markStarted } = withResolvers<HandlerContext>();
  const { promise: aborted, resolve: markAborted } = withResolvers<HandlerContext>();
  async function* executeTool(request: ExecuteToolRequest, context: HandlerContext) {
    calls.push({ request, context });
    yield outputEvent(1);
    markStarted(context);
    await new Promise<void>((resolve) => {
      if (context.signal.aborted) resolve();
      else context.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    markAborted(context);
  }
  return { executeTool, calls, started, aborted };
}

function withResolvers<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, resolve: (value: T) => settle(value) };
}
