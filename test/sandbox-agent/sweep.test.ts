import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "./test-agent.js";
import type { BootAgentOptions, BuiltAgent } from "./test-agent.js";

let parts: BuiltAgent;
let uid = 61_300;
const started: ChildProcess[] = [];

beforeAll(async () => {
  parts = await buildParts();
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A process of a user who has no other. */
async function leave(owner: number): Promise<ChildProcess> {
  const child = spawn("sleep", ["1000"], { uid: owner, gid: owner, stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  return child;
}

async function sweptBy(options: Omit<BootAgentOptions, "parts">): Promise<number> {
  const agent = TestAgent.boot({ parts, ...options });
  const { sweptProcesses } = await agent.call(AgentService.method.hello, {});
  const { stdout } = await agent.run("echo alive").done();
  await agent.stop();
  expect(stdout).toBe("alive\n");
  return sweptProcesses;
}

/** Test users start at 61300, whom nothing else on a machine belongs to. */
describe("an agent that starts", () => {
  it("kills what an earlier agent left of its user, and no process of another", async () => {
    const user = ++uid;
    const [left, other] = [await leave(user), await leave(++uid)];
    const ended = once(left, "exit");
    expect(await sweptBy({ uid: user, config: { sweep: true } })).toBe(1);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(other.signalCode).toBeNull();
  });

  it("spares its own ancestors", async () => {
    const user = ++uid;
    const ended = once(await leave(user), "exit");
    const wrapper = ["bash", "-c", '"$@"; true', "bash"];
    expect(await sweptBy({ uid: user, wrapper, config: { sweep: true } })).toBe(1);
    await ended;
  });

  const spared: [name: string, config: { sweep: boolean; commandUid?: number }][] = [
    ["it is not told to", { sweep: false }],
    ["commands are of another user", { sweep: true, commandUid: 4 }],
  ];
  for (const [name, config] of spared)
    it(`kills nothing if ${name}`, async () => {
      const user = ++uid;
      const left = await leave(user);
      expect(await sweptBy({ uid: user, config })).toBe(0);
      expect(left.signalCode).toBeNull();
    });
});
