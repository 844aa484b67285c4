import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { serviceProcessForTest } from "../support/service-process.js";

const CALLS = 10_000;
const CALLERS = 12;

/** Every twentieth call leaves an orphan that ends by itself; every other of the rest makes a pipeline. */
function commandOf(call: number): string {
  if (call % 20 === 0) return "(setsid sleep 0.2 &) ; true";
  return call % 2 === 0 ? "true | true" : "true";
}

interface Process {
  readonly pid: number;
  readonly parentPid: number;
  readonly state: string;
  readonly name: string;
}

function processes(): Process[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, name = "", state = "", parentPid = ""] =
        /^\d+ \((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${entry}/stat`, "latin1")) ?? [];
      return [{ pid: Number(entry), parentPid: Number(parentPid), state, name }];
    } catch {
      return [];
    }
  });
}

function below(root: number): Process[] {
  const all = processes();
  const found: Process[] = [];
  const parents = new Set([root]);
  for (let grown = true; grown;) {
    grown = false;
    for (const process of all)
      if (parents.has(process.parentPid) && !parents.has(process.pid)) {
        parents.add(process.pid);
        found.push(process);
        grown = true;
      }
  }
  return found;
}

describe("ten thousand calls", () => {
  it("leave no zombie and no process more than there were", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "handrail-zombies-"));
    await chmod(dataDir, 0o755);
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const service = await serviceProcessForTest({ HANDRAIL_SANDBOX: "local", HANDRAIL_DATA_DIR: dataDir });
    const client = createClient(ToolService, createGrpcTransport({ baseUrl: service.url }));
    const run = async (command: string) => {
      const { result } = await client.runTool({
        context: { projectId: "zombies", turnId: randomUUID() },
        tool: "bash",
        input: { case: "arguments", value: { command } },
      });
      return result?.outcome;
    };
    await run("true");
    const before = below(service.pid).length;

    let started = 0;
    let ok = 0;
    const caller = async () => {
      while (started < CALLS) {
        started += 1;
        if ((await run(commandOf(started))) === Outcome.OK) ok += 1;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    expect(ok).toBe(CALLS);
    await expect
      .poll(() => below(service.pid).filter(({ state }) => state === "Z"), { timeout: 5000 })
      .toEqual([]);
    await expect.poll(() => below(service.pid).length, { timeout: 5000 }).toBeLessThanOrEqual(before + 1);
  });
});
