import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import { buildParts, TestAgent } from "../test-agent.js";

const racerPath = new URL("symlink-racer.ts", import.meta.url).pathname;
const raceMs = 3000;

let agent: TestAgent;

beforeAll(async () => {
  agent = TestAgent.boot({ parts: await buildParts() });
});
afterAll(() => agent.stop());

describe("a path whose names are swapped for symbolic links meanwhile", () => {
  it("never leads to a file outside of the roots", async () => {
    const outside = join(agent.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "canary.txt"), "CANARY\n");
    writeFileSync(join(agent.root, "inside.txt"), "inside\n");
    const racer = spawn(process.execPath, ["--import", "tsx", racerPath, agent.root, outside]);
    const texts = new Map<string, number>();
    const count = (text: string): void => void texts.set(text, (texts.get(text) ?? 0) + 1);
    try {
      const endAt = performance.now() + raceMs;
      while (performance.now() < endAt)
        await Promise.all(
          ["file", "dir/canary.txt"].map(async (path) => {
            try {
              const { lines } = await agent.readLines(path);
              count(Buffer.from(lines[0]?.data ?? []).toString());
            } catch (error) {
              count(error instanceof AgentFailure ? `refused ${error.detail.kind}` : String(error));
            }
          }),
        );
    } finally {
      racer.kill("SIGKILL");
    }
    expect(texts.get("inside")).toBeGreaterThan(100);
    expect(texts.get("refused 2")).toBeGreaterThan(100);
    expect([...texts.keys()].filter((text) => text !== "inside" && !/^refused [1258]$/.test(text))).toEqual(
      [],
    );
  });
});
