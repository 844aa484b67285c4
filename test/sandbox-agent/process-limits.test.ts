import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "./test-agent.js";
import type { BuiltAgent } from "./test-agent.js";

const maxTasks = 150;

let parts: BuiltAgent;
let uid = 61_100;
const agents: TestAgent[] = [];

beforeAll(async () => {
  parts = await buildParts();
});
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.stop())));

/** An agent whose user may have 150 processes and threads, and has no others. */
async function bootLimited(options: { withLauncher?: boolean } = {}): Promise<TestAgent> {
  uid += 1;
  const wrapper = ["prlimit", `--nproc=${maxTasks}:${maxTasks}`];
  const agent = TestAgent.boot({ parts, uid, wrapper, ...options });
  agents.push(agent);
  await agent.call(AgentService.method.hello, {});
  return agent;
}

/** Processes and threads of the user of the latest agent. */
function countTasks(): number {
  let tasks = 0;
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)))
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      if (status.includes(`\nUid:\t${uid}\t`)) tasks += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]);
    } catch {
      continue;
    }
  return tasks;
}

async function untilFull(): Promise<void> {
  await expect.poll(countTasks, { timeout: 10_000, interval: 20 }).toBeGreaterThanOrEqual(maxTasks);
}

/** Makes more processes than there may be, behind the back of a shell that ends at once. */
const crowd = "for i in $(seq 400); do sleep 100 & done";
const bomb = "bomb() { bomb | bomb & }; bomb";

describe("an agent at the limit of processes", () => {
  for (const withLauncher of [true, false])
    it(`makes room for the next call, ${withLauncher ? "with" : "without"} the launcher`, async () => {
      const agent = await bootLimited({ withLauncher });
      const full = await agent.run(`(${crowd}) >/dev/null 2>&1 &`).done();
      await untilFull();
      const before = performance.now();
      const next = await agent.run("echo works").done();
      expect(performance.now() - before).toBeLessThan(5000);
      expect(next.stdout).toBe("works\n");
      const { processesCleared, runsCleared } = await next.started;
      expect(runsCleared).toEqual([full.runId]);
      expect(processesCleared).toBeGreaterThan(50);
    });

  const leftovers: [name: string, script: string][] = [
    ["a fork bomb was left in the background", `(${bomb}) >/dev/null 2>&1 &`],
    [
      "the processes have no marker and their parents have ended",
      `env -i bash -c 'for i in $(seq 400); do (setsid sleep 100 &) ; done' >/dev/null 2>&1 &`,
    ],
  ];
  for (const [name, script] of leftovers)
    it(`makes room where ${name}`, async () => {
      const agent = await bootLimited();
      await agent.run(script).done();
      await untilFull();
      const before = performance.now();
      expect((await agent.run("echo works").done()).stdout).toBe("works\n");
      expect(performance.now() - before).toBeLessThan(5000);
    });

  it("spares a call that runs with few processes, and ends one that runs with many", async () => {
    const agent = await bootLimited();
    const quiet = agent.run("read line; echo quiet", { stdin: true });
    await quiet.started;
    const many = agent.run(`exec 2>/dev/null; ${crowd}; wait`);
    await untilFull();
    const next = await agent.run("echo works").done();
    expect((await next.started).runsCleared).toEqual([many.runId]);
    quiet.stream.end();
    await Promise.all([quiet.done(), many.done()]);
    expect(quiet.stdout).toBe("quiet\n");
    expect(many.exit?.status).toEqual({ case: "signal", value: "SIGKILL" });
  });
});
