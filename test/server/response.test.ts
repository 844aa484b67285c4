import { gzipSync } from "node:zlib";
import { status as GrpcStatus } from "@grpc/grpc-js";
import { Code, ConnectError } from "@connectrpc/connect";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { encodeGrpcMessage } from "../../src/server/grpc-message.js";
import { clientOf, drainStream, errorOf, iterate, transports } from "./clients.js";
import { grpcJsClient, listTools } from "./grpc-js-client.js";
import { envelope, grpcHeaders, http2Request, http2Session } from "./raw-http.js";
import { outputEvent, serve } from "./serve.js";

function failing(message: string, code = Code.FailedPrecondition) {
  const fail = (): never => {
    throw new ConnectError(message, code);
  };
  return {
    listTools: fail,
    async *executeTool() {
      yield await Promise.resolve().then(fail);
    },
  };
}

describe("an error before the first message", () => {
  for (const method of ["ListTools", "ExecuteTool"]) {
    test(`of ${method} is one HEADERS frame that ends the stream`, async () => {
      const server = await serve(failing("not now", Code.Unavailable));
      const answer = await http2Request(await http2Session(server), grpcHeaders(method), envelope());
      expect(answer.endedByHeaders).toBe(true);
      expect(answer.headers).toMatchObject({
        ":status": 200,
        "content-type": "application/grpc+proto",
        "grpc-status": "14",
        "grpc-message": "not now",
      });
    });
  }

  test("is retried by the retry policy of grpc-js", async () => {
    let attempts = 0;
    const server = await serve({
      listTools: () => {
        attempts += 1;
        if (attempts < 3) throw new ConnectError("not yet", Code.Unavailable);
        return { etag: `attempt ${attempts}` };
      },
    });
    const retryPolicy = {
      maxAttempts: 4,
      initialBackoff: "0.01s",
      maxBackoff: "0.02s",
      backoffMultiplier: 1,
      retryableStatusCodes: ["UNAVAILABLE"],
    };
    const config = { methodConfig: [{ name: [{ service: "handrail.v1.ToolService" }], retryPolicy }] };
    const client = grpcJsClient(server, { "grpc.service_config": JSON.stringify(config) });
    expect(await listTools(client)).toBe("attempt 3");
  });
});

test("an error after the first message comes in the trailers", async () => {
  const server = await serve({
    async *executeTool() {
      yield await Promise.resolve(outputEvent(3));
      throw new ConnectError("broke off", Code.Aborted);
    },
  });
  const answer = await http2Request(await http2Session(server), grpcHeaders("ExecuteTool"), envelope());
  expect([
    answer.endedByHeaders,
    answer.trailers?.["grpc-status"],
    answer.trailers?.["grpc-message"],
  ]).toEqual([false, "10", "broke off"]);
});

describe("an error message", () => {
  const messages = [
    " x ",
    "a\nb",
    "ü漢😀",
    "\u0007",
    "100% bad %zz",
    "a/b, c: d; e=f?",
    "\r\n",
    "tab\t",
    "",
    "%",
  ];
  for (const message of messages) {
    for (const name of Object.keys(transports)) {
      test(`${JSON.stringify(message)} arrives by ${name}`, async () => {
        const server = await serve(failing(message));
        const client = clientOf(server, name);
        const unary = await errorOf(client.listTools({}));
        const stream = await errorOf(drainStream(client.executeTool({})));
        expect([unary.rawMessage, stream.rawMessage]).toEqual([message, message]);
      });
    }

    test(`${JSON.stringify(message)} arrives by grpc-js`, async () => {
      const server = await serve(failing(message));
      await expect(listTools(grpcJsClient(server))).rejects.toMatchObject({
        code: GrpcStatus.FAILED_PRECONDITION,
        details: message,
      });
    });
  }

  for (const name of Object.keys(transports)) {
    test(`with half of a character arrives by ${name}`, async () => {
      const server = await serve(failing("half \ud83d of it"));
      const client = clientOf(server, name);
      const unary = await errorOf(client.listTools({}));
      const stream = await errorOf(drainStream(client.executeTool({})));
      expect([unary.rawMessage, stream.rawMessage]).toEqual(["half \ufffd of it", "half \ufffd of it"]);
    });
  }

  test("is percent-encoded only where the gRPC specification says so, and at the edges", () => {
    expect(encodeGrpcMessage(" a b/c%ü~\u007f  ")).toBe("%20a b/c%25%C3%BC~%7F%20%20");
  });
});

describe("a request that is too large", () => {
  const tooLarge = new Uint8Array(4 * 1024 * 1024 + 1);

  test("is RESOURCE_EXHAUSTED over gRPC, and the session goes on", async () => {
    const server = await serve();
    const session = await http2Session(server);
    for (let i = 0; i < 5; i++) {
      const refused = await http2Request(session, grpcHeaders("ExecuteTool"), envelope(tooLarge));
      expect(refused.headers["grpc-status"]).toBe("8");
    }
    const next = await http2Request(session, grpcHeaders("ListTools"), envelope());
    expect(next.trailers?.["grpc-status"]).toBe("0");
  });

  for (const name of Object.keys(transports)) {
    test(`is RESOURCE_EXHAUSTED by ${name}`, async () => {
      const server = await serve();
      const call = clientOf(server, name).runTool({ tool: "x".repeat(tooLarge.length) });
      expect(Code[(await errorOf(call)).code]).toBe("ResourceExhausted");
    });
  }

  test("without a length is RESOURCE_EXHAUSTED over HTTP/1.1", async () => {
    const server = await serve();
    const answer = await fetch(`${server.url}/handrail.v1.ToolService/RunTool`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([`{"tool":"${"x".repeat(tooLarge.length)}"}`]).stream(),
      duplex: "half",
    });
    expect([answer.status, await answer.json()]).toEqual([
      429,
      expect.objectContaining({ code: "resource_exhausted" }),
    ]);
  });

  test("once inflated is refused without being inflated", async () => {
    const server = await serve();
    const bomb = gzipSync(new Uint8Array(50_000_000));
    const headers = grpcHeaders("ListTools", { "grpc-encoding": "gzip" });
    const packed = envelope(bomb);
    packed[0] = 1;
    const answer = await http2Request(await http2Session(server), headers, packed);
    expect(answer.headers["grpc-status"]).toBe("12");
  });
});

describe("a reader that stalls", () => {
  for (const name of ["gRPC over h2", "Connect over h1"]) {
    test(`holds back the handler by ${name}`, async () => {
      let sent = 0;
      const server = await serve({
        async *executeTool() {
          for (; sent < 4000; sent++) yield await Promise.resolve(outputEvent(65_536));
        },
      });
      const controller = new AbortController();
      const stream = clientOf(server, name).executeTool({}, { signal: controller.signal });
      const reader = iterate(stream);
      await reader.next();
      await sleep(300);
      const sentAtFirst = sent;
      await sleep(300);
      expect(sent).toBe(sentAtFirst);
      expect(sent).toBeLessThan(500);
      controller.abort();
      await expect(
        reader.next().then(() => drainStream({ [Symbol.asyncIterator]: () => reader })),
      ).rejects.toThrow();
    });
  }
});
