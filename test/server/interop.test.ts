import { describe, expect, test } from "vitest";

import { clientOf, drainStream, transports } from "./clients.js";
import { grpcJsClient, listTools } from "./grpc-js-client.js";
import { http2Request, http2Session } from "./raw-http.js";
import { outputEvent, serve } from "./serve.js";

async function* threeEvents() {
  for (let i = 0; i < 3; i++) yield await Promise.resolve(outputEvent(10));
}

describe("one port", () => {
  for (const name of Object.keys(transports)) {
    test(`answers a unary call by ${name}`, async () => {
      const server = await serve();
      expect((await clientOf(server, name).listTools({})).etag).toBe("v1");
    });

    test(`streams by ${name}`, async () => {
      const server = await serve({ executeTool: threeEvents });
      expect(await drainStream(clientOf(server, name).executeTool({}))).toBe(3);
    });
  }

  test("answers grpc-js", async () => {
    const server = await serve({ executeTool: threeEvents });
    const client = grpcJsClient(server);
    expect(await listTools(client)).toBe("v1");
    expect(await drainStream(client.ExecuteTool({}, {}))).toBe(3);
  });

  test("carries 100 calls at once on one session", async () => {
    const server = await serve();
    const client = clientOf(server, "gRPC over h2");
    const answers = await Promise.all(Array.from({ length: 100 }, () => client.listTools({})));
    expect(answers.every(({ etag }) => etag === "v1")).toBe(true);
  });

  test("carries bulk output whole", async () => {
    const server = await serve({
      async *executeTool() {
        for (let i = 0; i < 320; i++) yield await Promise.resolve(outputEvent(65_536));
      },
    });
    expect(await drainStream(clientOf(server, "gRPC over h2").executeTool({}))).toBe(320);
  });

  test("ends a stream of messages with trailers", async () => {
    const server = await serve({ executeTool: threeEvents });
    const session = await http2Session(server);
    const answer = await http2Request(
      session,
      {
        ":method": "POST",
        ":path": "/handrail.v1.ToolService/ExecuteTool",
        "content-type": "application/grpc",
      },
      Buffer.alloc(5),
    );
    expect(answer.trailers?.["grpc-status"]).toBe("0");
  });
});
