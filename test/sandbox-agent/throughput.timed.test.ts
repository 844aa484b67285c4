import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "./test-agent.js";

let agent: TestAgent;

beforeAll(async () => {
  agent = TestAgent.boot({ parts: await buildParts() });
  await agent.call(AgentService.method.hello, {});
});
afterAll(() => agent.stop());

function residentMebibytes(): number {
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(
    readFileSync(`/proc/${agent.process.pid ?? 0}/status`, "utf8"),
  )?.[1];
  return Number(kibibytes) / 1024;
}

/** The median duration in ms of an action that is done many times. */
async function medianMs(times: number, action: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const start = performance.now();
    await action();
    durations.push(performance.now() - start);
  }
  return durations.sort((a, b) => a - b)[times >> 1] ?? Number.NaN;
}

/** How many MB per second come, and how many MiB the agent grows. */
async function bulk(
  bytes: number,
  receive: (count: (bytes: number) => void) => Promise<unknown>,
): Promise<number> {
  let received = 0;
  const start = performance.now();
  await receive((more) => (received += more));
  expect(received).toBe(bytes);
  return bytes / 1000 / (performance.now() - start);
}

describe("an agent", () => {
  it("is small when idle", () => {
    const size = residentMebibytes();
    console.log(`idle agent: ${size.toFixed(1)} MiB`);
    expect(size).toBeLessThan(80);
  });

  it("answers Hello and a small file in less than 5 ms at the median", async () => {
    writeFileSync(join(agent.root, "small.txt"), "x".repeat(63).concat("\n").repeat(16));
    await medianMs(300, () => agent.readLines("small.txt"));
    const hello = await medianMs(1000, () => agent.call(AgentService.method.hello, {}));
    const read = await medianMs(1000, () => agent.readLines("small.txt"));
    const run = await medianMs(100, () => agent.run("true").done());
    console.log(`hello ${hello.toFixed(2)} ms, read ${read.toFixed(2)} ms, bash true ${run.toFixed(2)} ms`);
    expect(hello).toBeLessThan(5);
    expect(read).toBeLessThan(5);
  });

  it("streams a file and a process at 40 MB/s or more, with flat memory", async () => {
    const bytes = 300_000_000;
    await agent.run(`truncate -s ${bytes} big`).done();
    const before = residentMebibytes();
    const signal = new AbortController().signal;
    const file = await bulk(bytes, async (count) => {
      const stream = agent.client.stream(AgentService.method.readBytes, {
        signal,
        onResponse: ({ data }) => count(data.length),
      });
      await stream.send({ path: "big" });
      stream.end();
      await stream.done;
    });
    const output = await bulk(bytes, async (count) => {
      const stream = agent.client.stream(AgentService.method.run, {
        signal,
        onResponse: ({ event }) => {
          if (event.case === "stdout") count(event.value.length);
        },
      });
      const value = { runId: "bulk", argv: ["head", "-c", String(bytes), "/dev/zero"] };
      await stream.send({ message: { case: "start", value } });
      stream.end();
      await stream.done;
    });
    const grown = residentMebibytes() - before;
    console.log(
      `file ${file.toFixed(0)} MB/s, process ${output.toFixed(0)} MB/s, agent grew ${grown.toFixed(0)} MiB`,
    );
    expect(file).toBeGreaterThan(40);
    expect(output).toBeGreaterThan(40);
    expect(grown).toBeLessThan(96);
  });
});
