import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { outcomeOf, removeContainers } from "../support/service.js";
import type { Outcome, SandboxKind } from "../support/service.js";

/** The built service as a process of its own. */
export interface ServiceProcess {
  readonly tools: Client<typeof ToolService>;
  /** Runs a command and throws its live output away. */
  bash(command: string, args?: Record<string, unknown>): Promise<Outcome>;
  /** Memory that the process has now, in bytes. */
  residentBytes(): Promise<number>;
  /** Most memory that the process has had, in bytes. */
  peakBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Starts the built service as its users do. */
export async function startServiceProcess(
  kind: SandboxKind,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), "handrail-test-"));
  await chmod(dataDir, 0o755);
  const instance = `test-${randomUUID().slice(0, 8)}`;
  const script = new URL("../../dist/handrail.js", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, "serve"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"],
      HANDRAIL_PORT: "0",
      HANDRAIL_SANDBOX: kind === "docker" ? "docker" : "local",
      HANDRAIL_INSTANCE: instance,
      HANDRAIL_DATA_DIR: dataDir,
      HANDRAIL_DRAIN_MS: "0",
      HANDRAIL_LOG_LEVEL: "silent",
      HANDRAIL_SANDBOX_MEMORY_MIB: "512",
      ...environment,
    },
  });
  const tools = createClient(ToolService, createGrpcTransport({ baseUrl: await urlOf(child) }));
  const memory = async (field: string) => {
    const status = await readFile(`/proc/${child.pid ?? 0}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  };
  return {
    tools,
    residentBytes: () => memory("VmRSS"),
    peakBytes: () => memory("VmHWM"),
    async bash(command, args = {}) {
      const events: CallEvent[] = [];
      const startedAt = performance.now();
      const stream = tools.executeTool({
        context: { projectId: "p" },
        tool: "bash",
        input: { case: "argumentsJson", value: JSON.stringify({ command, ...args }) },
        callId: randomUUID(),
      });
      for await (const { event } of stream) {
        if (event !== undefined && event.event.case !== "output") events.push(event);
      }
      return outcomeOf(events, performance.now() - startedAt);
    },
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      if (kind === "docker") await removeContainers(instance);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the service has no output");
  for await (const line of createInterface({ input: stdout })) {
    const url = /serves at (\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  throw new Error("the service ended before it served");
}
