import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SandboxState } from "../../gen/handrail/v1/project_service_pb.js";
import { SANDBOX_KINDS, serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

const AGENT_IDLE_MS = 400;
const SANDBOX_IDLE_MS = 1600;

function idleService(kind: "docker" | "bubblewrap"): Promise<TestService> {
  return serviceForTest(kind, {
    HANDRAIL_AGENT_IDLE_MS: String(AGENT_IDLE_MS),
    HANDRAIL_SANDBOX_IDLE_MS: String(SANDBOX_IDLE_MS),
  });
}

async function projectOf({ projects, project }: TestService) {
  const { project: found } = await projects.getProject({ projectId: project });
  if (found === undefined) throw new Error("the answer has no project");
  return found;
}

for (const kind of SANDBOX_KINDS) {
  describe(`a project that nobody uses on ${kind}`, () => {
    it("loses its agent, and the next call works and keeps the files", async () => {
      const service = await idleService(kind);
      await service.bash("echo kept > kept");
      expect((await projectOf(service)).agentConnected).toBe(true);
      await expect.poll(async () => (await projectOf(service)).agentConnected, { timeout: 5000 }).toBe(false);
      const { text } = await service.bash("cat kept");
      expect(text).toContain("kept");
      expect(text).not.toContain("replaced");
    });

    it("is not idle while a call runs", async () => {
      const service = await idleService(kind);
      const { stdout } = await service.bash(`sleep ${(3 * AGENT_IDLE_MS) / 1000}; echo done`);
      expect(stdout.toString()).toBe("done\n");
    });

    it("keeps its agent for processes in the background", async () => {
      const service = await idleService(kind);
      await service.bash("sleep 30 > /dev/null 2>&1 &");
      await sleep(3 * AGENT_IDLE_MS);
      expect((await projectOf(service)).agentConnected).toBe(true);
      expect((await service.bash("pgrep -c -u $(id -u) sleep")).stdout.toString()).toBe("1\n");
    });
  });
}

describe("an idle container", () => {
  it("is stopped, and the next call starts it and says what was lost", async () => {
    const service = await idleService("docker");
    await service.bash("echo kept > kept; echo lost > /tmp/lost");
    await expect
      .poll(async () => (await projectOf(service)).sandbox, { timeout: 10_000, interval: 200 })
      .toBe(SandboxState.STOPPED);
    const { text } = await service.bash("cat kept; ls /tmp | wc -l");
    expect(text).toContain("kept\n0");
    expect(text).toContain("The sandbox was stopped and started again");
    expect((await projectOf(service)).generation).toBe(1);
  });

  it("of a project whose processes in the background were ended at last is told of", async () => {
    const service = await serviceForTest("docker", {
      HANDRAIL_AGENT_IDLE_MS: "200",
      HANDRAIL_SANDBOX_IDLE_MS: "200",
    });
    await service.bash("sleep 60 > /dev/null 2>&1 &");
    await expect
      .poll(async () => (await projectOf(service)).sandbox, { timeout: 15_000, interval: 200 })
      .toBe(SandboxState.STOPPED);
    const { text } = await service.bash("true");
    expect(text).toContain("all processes were lost");
  });
});
