import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";

import { Health, HealthCheckResponse_ServingStatus as Status } from "../../gen/grpc/health/v1/health_pb.js";
import type { RunningServer } from "../../src/server/server-options.js";
import { clientOf, drainStream, errorOf, iterate } from "./clients.js";
import { serve, waitingTool } from "./serve.js";

function healthOf(server: RunningServer) {
  return createClient(Health, createGrpcTransport({ baseUrl: server.url }));
}

describe("health", () => {
  for (const service of ["", "handrail.v1.ToolService", "grpc.health.v1.Health"]) {
    test(`Check of "${service}" is SERVING`, async () => {
      expect((await healthOf(await serve()).check({ service })).status).toBe(Status.SERVING);
    });
  }

  test("Check of an unknown service is NOT_FOUND", async () => {
    const error = await errorOf(healthOf(await serve()).check({ service: "no.Such" }));
    expect([error.code, error.rawMessage]).toEqual([
      Code.NotFound,
      expect.stringContaining("handrail.v1.ToolService"),
    ]);
  });

  test("Watch of an unknown service is SERVICE_UNKNOWN", async () => {
    const watch = iterate(healthOf(await serve()).watch({ service: "no.Such" }));
    expect((await watch.next()).value).toMatchObject({ status: Status.SERVICE_UNKNOWN });
  });

  test("List has every service", async () => {
    const { statuses } = await healthOf(await serve()).list({});
    expect(Object.keys(statuses).sort()).toEqual([
      "",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      "handrail.v1.ToolService",
    ]);
  });

  test("turns to NOT_SERVING for who watches, once the drain begins", async () => {
    const tool = waitingTool();
    const server = await serve({ executeTool: tool.executeTool }, { drainMs: 300 });
    const watch = iterate(healthOf(server).watch({ service: "handrail.v1.ToolService" }));
    expect((await watch.next()).value).toMatchObject({ status: Status.SERVING });
    const reading = drainStream(clientOf(server, "gRPC over h2").executeTool({}));
    await tool.started;
    const drained = server.drain();
    expect((await watch.next()).value).toMatchObject({ status: Status.NOT_SERVING });
    await Promise.all([drained, reading]);
  });
});

describe("/healthz", () => {
  test("says ok without credentials", async () => {
    const server = await serve({}, { authenticate: () => undefined });
    const answer = await fetch(`${server.url}/healthz`);
    expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
  });

  test("says draining once the drain begins", async () => {
    const tool = waitingTool();
    const server = await serve({ executeTool: tool.executeTool }, { drainMs: 300 });
    const reading = drainStream(clientOf(server, "gRPC over h2").executeTool({}));
    await tool.started;
    const drained = server.drain();
    const answer = await fetch(`${server.url}/healthz`);
    expect([answer.status, await answer.text()]).toEqual([503, "draining\n"]);
    await Promise.all([drained, reading]);
  });
});
