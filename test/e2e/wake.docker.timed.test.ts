import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { describe, expect, it } from "vitest";
import { SandboxState } from "../../gen/handrail/v1/project_service_pb.js";
import { serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

const MIB = 1024 * 1024;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function untilAsleep({ projects, project }: TestService, state: SandboxState): Promise<void> {
  await expect
    .poll(
      async () => {
        const { project: found } = await projects.getProject({ projectId: project });
        return found?.agentConnected === false && found.sandbox === state;
      },
      { timeout: 20_000, interval: 50 },
    )
    .toBe(true);
}

/** Memory that the cgroup of a container is charged with, without page cache that can be dropped. */
async function memoryBytes(container: Docker.Container): Promise<number> {
  const { memory_stats: memory } = (await container.stats({
    stream: false,
    "one-shot": true,
  })) as unknown as {
    memory_stats: { usage: number; stats: Record<string, number> };
  };
  return memory.usage - (memory.stats["total_inactive_file"] ?? memory.stats["inactive_file"] ?? 0);
}

/** The same once the agent has ended, which it does within moments of its connection, or after 5 s. */
async function memoryOnceEnded(container: Docker.Container): Promise<number> {
  const until = performance.now() + 5000;
  for (;;) {
    const bytes = await memoryBytes(container);
    const { Processes } = (await container.top()) as { Processes: string[][] };
    const hasEnded = !Processes.some((columns) => columns.some((text) => text.startsWith("handrail-agent")));
    if (hasEnded || performance.now() > until) return hasEnded ? memoryBytes(container) : bytes;
    await sleep(50);
  }
}

describe("an idle project", () => {
  it("costs less than 5 MiB in its container without its agent, and wakes in less than 300 ms", async () => {
    const service = await serviceForTest("docker", {
      HANDRAIL_AGENT_IDLE_MS: "1000",
      HANDRAIL_SANDBOX_IDLE_MS: "600000",
    });
    for (let i = 0; i < 20; i += 1) await service.bash("true");
    const container = await service.container();
    const awake = await memoryBytes(container);
    await untilAsleep(service, SandboxState.RUNNING);
    const asleep = await memoryOnceEnded(container);
    const { State } = await container.inspect();
    const main = await readFile(`/proc/${State.Pid}/status`, "utf8");

    const wakesMs: number[] = [];
    const callsMs: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      await untilAsleep(service, SandboxState.RUNNING);
      wakesMs.push((await service.bash("true")).elapsedMs);
      callsMs.push((await service.bash("true")).elapsedMs);
    }
    const wakeMs = median(wakesMs) - median(callsMs);
    console.log(
      `idle container: ${(asleep / MIB).toFixed(1)} MiB (with its agent ${(awake / MIB).toFixed(1)} MiB, ` +
        `${/VmRSS:\s+(.*)/.exec(main)?.[1] ?? "?"} of it resident in its first process); ` +
        `waking: ${wakeMs.toFixed(0)} ms, a call ${median(callsMs).toFixed(0)} ms`,
    );
    expect(asleep).toBeLessThan(5 * MIB);
    expect(wakeMs).toBeLessThan(300);
  });

  it("whose container was stopped says how long starting it takes", async () => {
    const service = await serviceForTest("docker", {
      HANDRAIL_AGENT_IDLE_MS: "300",
      HANDRAIL_SANDBOX_IDLE_MS: "600",
    });
    const wakesMs: number[] = [];
    await service.bash("true");
    for (let i = 0; i < 3; i += 1) {
      await untilAsleep(service, SandboxState.STOPPED);
      wakesMs.push((await service.bash("true")).elapsedMs);
    }
    console.log(`waking a stopped container: ${median(wakesMs).toFixed(0)} ms`);
    expect(median(wakesMs)).toBeLessThan(5000);
  });
});
