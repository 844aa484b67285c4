import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { describe, expect, test } from "vitest";

import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { RunningServer } from "../../src/server/server-options.js";
import { serve } from "./serve.js";

const app = "https://app.example.com";

function post(server: RunningServer, headers: Record<string, string>) {
  return fetch(`${server.url}/handrail.v1.ToolService/ListTools`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: "{}",
  });
}

function preflight(server: RunningServer, origin: string) {
  return fetch(`${server.url}/handrail.v1.ToolService/ListTools`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-grpc-web",
    },
  });
}

describe("a web page of another origin", () => {
  for (const origin of [
    app,
    "null",
    "http://localhost:1",
    "http://127.0.0.1",
    `${app}.evil.example`,
    "http://app.example.com",
  ]) {
    test(`${origin} is refused with the way out`, async () => {
      const server = await serve({}, { allowedOrigins: origin === app ? [] : [app] });
      const answer = await post(server, { origin });
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("allowedOrigins")]);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    });
  }

  test("is refused a preflight", async () => {
    const server = await serve();
    expect((await preflight(server, app)).status).toBe(403);
  });
});

describe("a web page of an allowed origin", () => {
  test("may read the answer", async () => {
    const server = await serve({}, { allowedOrigins: [app] });
    const answer = await post(server, { origin: app });
    expect([
      answer.status,
      answer.headers.get("access-control-allow-origin"),
      answer.headers.get("vary"),
    ]).toEqual([200, app, "Origin"]);
    expect(answer.headers.get("access-control-expose-headers")).toMatch(/Grpc-Status.*Handrail-Call-Id/i);
  });

  test("gets its preflight answered", async () => {
    const server = await serve({}, { allowedOrigins: [app] });
    const answer = await preflight(server, app);
    expect([answer.status, answer.headers.get("access-control-allow-methods")]).toEqual([204, "POST, GET"]);
    expect(answer.headers.get("access-control-allow-headers")).toMatch(/X-Grpc-Web.*Authorization/i);
  });

  test("gets its preflight answered without credentials", async () => {
    const server = await serve({}, { allowedOrigins: [app], authenticate: () => undefined });
    expect((await preflight(server, app)).status).toBe(204);
  });

  test("calls by gRPC-Web and reads the status of an error", async () => {
    const server = await serve(
      {
        listTools: () => {
          throw new ConnectError("no such project", Code.NotFound);
        },
      },
      { allowedOrigins: [app] },
    );
    const transport = createGrpcWebTransport({
      baseUrl: server.url,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set("origin", app);
        return fetch(input, { ...init, headers });
      },
    });
    await expect(createClient(ToolService, transport).listTools({})).rejects.toThrow(
      "[not_found] no such project",
    );
  });
});

test("the page of the service's own origin may call", async () => {
  const server = await serve();
  expect((await post(server, { origin: server.url })).status).toBe(200);
});
