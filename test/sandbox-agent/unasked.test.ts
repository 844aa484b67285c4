import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "./test-agent.js";
import type { BuiltAgent } from "./test-agent.js";

let parts: BuiltAgent;
beforeAll(async () => {
  parts = await buildParts();
});

describe("an agent whose service never asks anything", () => {
  it("ends by itself, though its pipe stays open", async () => {
    const agent = TestAgent.boot({ parts, config: { firstRequestMs: 300 } });
    const [code] = (await once(agent.process, "exit")) as [number];
    expect(code).toBe(1);
    await agent.stop();
  });

  it("lives on once it was asked", async () => {
    const agent = TestAgent.boot({ parts, config: { firstRequestMs: 1500 } });
    await agent.call(AgentService.method.hello, {});
    await sleep(1800);
    expect(agent.process.exitCode).toBeNull();
    await agent.stop();
  });
});
