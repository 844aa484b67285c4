import { constants } from "node:http2";
import type { HandlerContext } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";

import { AbortReason } from "../../src/calls/abort-reason.js";
import { kTransport } from "../../src/rpc/context-keys.js";
import { clientOf, drainStream, errorOf, transports } from "./clients.js";
import { envelope, grpcHeaders, http2Session, rawSocket } from "./raw-http.js";
import { outputEvent, serve, waitingTool } from "./serve.js";

const promptMs = 300;

async function sinceNow<T>(promise: Promise<T>): Promise<[T, number]> {
  const from = performance.now();
  return [await promise, performance.now() - from];
}

function transportOf({ values }: HandlerContext) {
  const transport = values.get(kTransport);
  return { protocol: transport?.protocol, disconnected: transport?.disconnected() };
}

describe("the signal of a handler aborts at once", () => {
  for (const name of Object.keys(transports)) {
    test(`when the client cancels by ${name}`, async () => {
      const tool = waitingTool();
      const server = await serve({ executeTool: tool.executeTool });
      const controller = new AbortController();
      const reading = errorOf(
        drainStream(clientOf(server, name).executeTool({}, { signal: controller.signal })),
      );
      await tool.started;
      controller.abort();
      const [context, afterMs] = await sinceNow(tool.aborted);
      expect((await reading).code).toBe(Code.Canceled);
      expect(afterMs).toBeLessThan(promptMs);
      const overHttp1 = name.endsWith("h1");
      expect(transportOf(context)).toEqual({ protocol: overHttp1 ? "h1" : "h2", disconnected: overHttp1 });
    });
  }

  for (const [what, code] of [
    ["CANCEL", constants.NGHTTP2_CANCEL],
    ["NO_ERROR", constants.NGHTTP2_NO_ERROR],
  ] as const) {
    test(`when a stream of HTTP/2 is reset with ${what} while the session stays`, async () => {
      const tool = waitingTool();
      const server = await serve({ executeTool: tool.executeTool });
      const stream = (await http2Session(server)).request(grpcHeaders("ExecuteTool"));
      stream.on("error", () => undefined).resume();
      stream.end(envelope());
      await tool.started;
      stream.close(code);
      const [context, afterMs] = await sinceNow(tool.aborted);
      expect(afterMs).toBeLessThan(promptMs);
      expect(transportOf(context)).toEqual({ protocol: "h2", disconnected: false });
    });
  }

  for (const how of ["destroy", "end"] as const) {
    test(`when the client's socket below HTTP/2 ${how}s`, async () => {
      const tool = waitingTool();
      const server = await serve({ executeTool: tool.executeTool });
      const socket = await rawSocket(server);
      const session = await http2Session(server, socket);
      const stream = session.request(grpcHeaders("ExecuteTool"));
      stream.on("error", () => undefined).resume();
      stream.end(envelope());
      await tool.started;
      socket[how]();
      const [context, afterMs] = await sinceNow(tool.aborted);
      expect(afterMs).toBeLessThan(promptMs);
      expect(transportOf(context)).toEqual({ protocol: "h2", disconnected: true });
    });
  }

  test("when an HTTP/1.1 connection is cut", async () => {
    const tool = waitingTool();
    const server = await serve({ executeTool: tool.executeTool });
    const socket = await rawSocket(server);
    socket.resume();
    const head = [
      "POST /handrail.v1.ToolService/ExecuteTool HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/connect+proto",
      "Content-Length: 5",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n\0\0\0\0\0`);
    await tool.started;
    socket.destroy();
    const [context, afterMs] = await sinceNow(tool.aborted);
    expect(afterMs).toBeLessThan(promptMs);
    expect(transportOf(context)).toEqual({ protocol: "h1", disconnected: true });
  });

  for (const name of Object.keys(transports)) {
    test(`when the server closes, by ${name}`, async () => {
      const tool = waitingTool();
      const server = await serve({ executeTool: tool.executeTool });
      const reading = drainStream(clientOf(server, name).executeTool({})).catch(() => "broke off");
      await tool.started;
      const closing = server.close();
      const [{ signal }, afterMs] = await sinceNow(tool.aborted);
      expect(afterMs).toBeLessThan(promptMs);
      expect(signal.reason).toBeInstanceOf(AbortReason);
      expect(signal.reason).toMatchObject({ source: "shutdown" });
      await Promise.all([closing, reading]);
    });
  }
});

test("a client that leaves in the middle of a stalled answer frees its handler", async () => {
  let ended = false;
  let sent = 0;
  const server = await serve({
    async *executeTool() {
      try {
        for (;;) {
          sent += 1;
          yield await Promise.resolve(outputEvent(65_536));
        }
      } finally {
        ended = true;
      }
    },
  });
  const session = await http2Session(server);
  const stream = session.request(grpcHeaders("ExecuteTool"));
  stream.on("error", () => undefined).pause();
  stream.end(envelope());
  await expect.poll(() => sent).toBeGreaterThan(0);
  stream.close(constants.NGHTTP2_CANCEL);
  await expect.poll(() => ended).toBe(true);
});

test("the handler learns the address of the client", async () => {
  const seen: (string | undefined)[] = [];
  const server = await serve({
    listTools: (_request, { values }) => {
      seen.push(values.get(kTransport)?.remoteAddress);
      return {};
    },
  });
  for (const name of ["gRPC over h2", "Connect over h1"]) await clientOf(server, name).listTools({});
  expect(seen).toEqual(["127.0.0.1", "127.0.0.1"]);
});
