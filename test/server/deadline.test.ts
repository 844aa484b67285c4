import { Code } from "@connectrpc/connect";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { checkDeadline } from "../../src/server/deadline-header.js";
import type { RequestProtocol } from "../../src/server/request-protocol.js";
import { grpcJsClient, listTools } from "./grpc-js-client.js";
import { envelope, grpcHeaders, http2Request, http2Session } from "./raw-http.js";
import { serve, waitingTool } from "./serve.js";

const names = {
  grpc: "grpc-timeout",
  "grpc-web": "grpc-timeout",
  connect: "connect-timeout-ms",
  "connect-stream": "connect-timeout-ms",
};

const table: readonly (readonly [RequestProtocol, string, Code | string])[] = [
  ["grpc", "100m", "100m"],
  ["grpc", "1n", "1n"],
  ["grpc", "99999999m", "99999999m"],
  ["grpc", "2147483S", "2147483S"],
  ["grpc", "2147484S", "2147483S"],
  ["grpc", "5184000S", "2147483S"],
  ["grpc", "99999999H", "2147483S"],
  ["grpc-web", "99999999M", "2147483S"],
  ["grpc", "0S", Code.DeadlineExceeded],
  ["grpc", "00000000n", Code.DeadlineExceeded],
  ["grpc", "-1S", Code.InvalidArgument],
  ["grpc", "100000000S", Code.InvalidArgument],
  ["grpc", "1", Code.InvalidArgument],
  ["grpc", "1.5S", Code.InvalidArgument],
  ["grpc", "S", Code.InvalidArgument],
  ["grpc", "", Code.InvalidArgument],
  ["grpc", "1h", Code.InvalidArgument],
  ["grpc", "1S, 2S", Code.InvalidArgument],
  ["connect", "1", "1"],
  ["connect", "2147483647", "2147483647"],
  ["connect", "2147483648", "2147483647"],
  ["connect", "9999999999", "2147483647"],
  ["connect-stream", "9999999999", "2147483647"],
  ["connect", "0", Code.DeadlineExceeded],
  ["connect", "-1", Code.InvalidArgument],
  ["connect", "1e3", Code.InvalidArgument],
  ["connect", "NaN", Code.InvalidArgument],
  ["connect", "10000000000", Code.InvalidArgument],
];

describe("a deadline header", () => {
  for (const [protocol, value, expected] of table) {
    const outcome = typeof expected === "string" ? `becomes ${expected}` : `is ${Code[expected]}`;
    test(`${JSON.stringify(value)} of ${protocol} ${outcome}`, () => {
      const header = new Headers({ [names[protocol]]: value });
      const error = checkDeadline(protocol, header);
      expect(error?.code ?? header.get(names[protocol])).toBe(expected);
    });
  }

  test("that is garbage is named in the message with what to send", () => {
    const error = checkDeadline("grpc", new Headers({ "grpc-timeout": "soon" }));
    expect(error?.rawMessage).toBe(
      'grpc-timeout "soon" is no deadline: send 1 to 8 digits and a unit of H, M, S, m, u or n, or leave it out',
    );
  });

  test("that is garbage is refused in the protocol of the request", async () => {
    const server = await serve();
    const session = await http2Session(server);
    const grpc = await http2Request(session, grpcHeaders("ListTools", { "grpc-timeout": "-5S" }), envelope());
    const connect = await fetch(`${server.url}/handrail.v1.ToolService/ListTools`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-timeout-ms": "-5" },
      body: "{}",
    });
    expect([grpc.headers["grpc-status"], connect.status]).toEqual(["3", 400]);
    expect(await connect.json()).toMatchObject({ code: "invalid_argument" });
  });
});

describe("a deadline", () => {
  test("of 60 days does not fire", async () => {
    const server = await serve({
      listTools: async (_request, { signal }) => {
        await sleep(300);
        return { etag: signal.aborted ? "aborted" : "lives" };
      },
    });
    const deadline = Date.now() + 60 * 24 * 3_600_000;
    expect(await listTools(grpcJsClient(server), { deadline })).toBe("lives");
  });

  test("that passes aborts the signal of the handler", async () => {
    const tool = waitingTool();
    const server = await serve({ executeTool: tool.executeTool });
    const session = await http2Session(server);
    const from = performance.now();
    void http2Request(session, grpcHeaders("ExecuteTool", { "grpc-timeout": "200m" }), envelope());
    const { signal } = await tool.aborted;
    expect(performance.now() - from).toBeLessThan(700);
    expect(signal.reason).toMatchObject({ code: Code.DeadlineExceeded });
  });
});
