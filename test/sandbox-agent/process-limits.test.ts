import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "./test-agent.js";
import type { BuiltAgent } from "./test-agent.js";

const maxProcesses = 150;

let parts: BuiltAgent;
let uid = 61_100;
const agents: TestAgent[] = [];

beforeAll(async () => {
  parts = await buildParts();
});
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.stop())));
afterAll(() => expect(agents).toEqual([]));

/** An agent whose user may have 150 processes and threads. */
async function bootLimited(options: { withLauncher?: boolean } = {}): Promise<TestAgent> {
  uid += 1;
  const wrapper = ["prlimit", `--nproc=${maxProcesses}:${maxProcesses}`];
  const agent = TestAgent.boot({ parts, uid, wrapper, ...options });
  agents.push(agent);
  await agent.call(AgentService.method.hello, {});
  return agent;
}

const forkBomb = "bomb() { bomb | bomb & }; bomb";

describe("an agent at the limit of processes", () => {
  for (const withLauncher of [true, false])
    it(`makes room for the next call, ${withLauncher ? "with" : "without"} the launcher`, async () => {
      const agent = await bootLimited({ withLauncher });
      const crowd = agent.run("for i in $(seq 400); do sleep 100 >/dev/null 2>&1 & done");
      await crowd.started;
      await sleep(500);
      const before = performance.now();
      const next = await agent.run("echo works").done();
      expect(performance.now() - before).toBeLessThan(5000);
      expect(next.stdout).toBe("works\n");
      const { processesCleared, runsCleared } = await next.started;
      expect(runsCleared).toEqual([crowd.runId]);
      expect(processesCleared).toBeGreaterThan(50);
      await crowd.done();
    });

  it("makes room where a fork bomb was left in the background", async () => {
    const agent = await bootLimited();
    const bomb = agent.run(`(${forkBomb}) >/dev/null 2>&1 &`);
    await bomb.done();
    await sleep(500);
    const before = performance.now();
    expect((await agent.run("echo works").done()).stdout).toBe("works\n");
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it("makes room where the processes have no marker and their parents have ended", async () => {
    const agent = await bootLimited();
    await agent
      .run("env -i bash -c 'for i in $(seq 400); do (setsid sleep 100 &) ; done' >/dev/null 2>&1 &")
      .done();
    await sleep(1000);
    expect((await agent.run("echo works").done()).stdout).toBe("works\n");
  });

  it("spares a call that runs with few processes", async () => {
    const agent = await bootLimited();
    const quiet = agent.run("sleep 2; echo quiet");
    await quiet.started;
    await agent.run("for i in $(seq 400); do sleep 100 >/dev/null 2>&1 & done; true").done();
    await sleep(300);
    const next = await agent.run("echo works").done();
    expect((await next.started).runsCleared).not.toContain(quiet.runId);
    await quiet.done();
    expect(quiet.stdout).toBe("quiet\n");
  });
});
