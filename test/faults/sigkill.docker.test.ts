import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import Docker from "dockerode";
import { describe, expect, it, onTestFinished } from "vitest";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { removeContainers } from "../support/service.js";

const KILLS = 20;
const PROJECTS = 3;
const IDLE_MS = 2000;
const LEASE_MS = 2000;
/** Two looks of the main process of a container, and what a busy machine needs. */
const GRACE_MS = 8000;

const program = fileURLToPath(new URL("../../dist/handrail.js", import.meta.url));
const docker = new Docker();

async function startService(instance: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, "serve"], {
    env: {
      PATH: process.env["PATH"],
      HANDRAIL_PORT: "0",
      HANDRAIL_SANDBOX: "docker",
      HANDRAIL_INSTANCE: instance,
      HANDRAIL_SANDBOX_MEMORY_MIB: "256",
      HANDRAIL_AGENT_IDLE_MS: String(IDLE_MS),
      HANDRAIL_SANDBOX_IDLE_MS: String(IDLE_MS),
      HANDRAIL_SANDBOX_LEASE_MS: String(LEASE_MS),
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface(child.stdout)) {
    const url = /serves at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error("the service ended before it listened");
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Runs one command; undefined if the service died under it. */
async function tryBash(url: string, projectId: string, command: string): Promise<string | undefined> {
  const client = createClient(ToolService, createGrpcTransport({ baseUrl: url }));
  try {
    const { result } = await client.runTool({
      context: { projectId, turnId: randomUUID() },
      tool: "bash",
      input: { case: "arguments", value: { command } },
    });
    return result?.content.map(({ part }) => (part.case === "text" ? part.value.text : "")).join("");
  } catch {
    return undefined;
  }
}

async function containers(instance: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { label: [`handrail.instance=${instance}`] } });
}

const isRunning = ({ State }: Docker.ContainerInfo): boolean => State === "running";

describe("a service that is killed", () => {
  it(`${KILLS} times under load adopts its sandboxes, keeps every file, leaves those of another service alone, and what it leaves at last ends by itself`, async () => {
    const instance = `kill-${randomUUID().slice(0, 8)}`;
    const otherInstance = `other-${randomUUID().slice(0, 8)}`;
    onTestFinished(() => removeContainers(instance));
    onTestFinished(() => removeContainers(otherInstance));
    const other = await startService(otherInstance);
    const projects = Array.from({ length: PROJECTS }, (_, i) => `p${i}`);
    const acknowledged = new Map(projects.map((project) => [project, new Set<string>()]));
    let calls = 0;
    expect(await tryBash(other.url, "other", "echo mine > mine; cat mine")).toContain("mine");

    for (let round = 0; round < KILLS; round += 1) {
      const { child, url } = await startService(instance);
      let isUp = true;
      const load = projects.map(async (project) => {
        while (isUp) {
          const line = `line-${calls++}`;
          const text = await tryBash(url, project, `echo ${line} >> log; echo wrote`);
          if (text?.includes("wrote") === true) acknowledged.get(project)?.add(line);
          else await sleep(20);
        }
      });
      await tryBash(other.url, "other", "true");
      await sleep(300 + (round % 5) * 300);
      await kill(child);
      isUp = false;
      await Promise.all(load);
    }
    const own = await containers(instance);
    expect(own).toHaveLength(PROJECTS);

    const { child, url } = await startService(instance);
    let lines = 0;
    for (const project of projects) {
      const log = (await tryBash(url, project, "cat log")) ?? "";
      const found = new Set(log.split("\n"));
      const lost = [...(acknowledged.get(project) ?? [])].filter((line) => !found.has(line));
      expect(lost).toEqual([]);
      lines += acknowledged.get(project)?.size ?? 0;
    }
    expect(lines).toBeGreaterThan(KILLS);
    expect(await tryBash(other.url, "other", "cat mine")).toContain("mine");
    await kill(child);
    const killedAt = performance.now();
    await expect
      .poll(async () => (await containers(instance)).filter(isRunning).length, {
        timeout: IDLE_MS + LEASE_MS + GRACE_MS,
        interval: 250,
      })
      .toBe(0);
    const endedMs = performance.now() - killedAt;
    expect((await containers(otherInstance)).length).toBe(1);
    console.log(
      `${KILLS + 1} kills, ${calls} calls, ${lines} lines acknowledged, 0 lost, ${PROJECTS} containers adopted; ` +
        `after the last kill all had ended in ${Math.round(endedMs)} ms (idle ${IDLE_MS} + lease ${LEASE_MS} ms)`,
    );
    await kill(other.child);
  }, 150_000);
});
