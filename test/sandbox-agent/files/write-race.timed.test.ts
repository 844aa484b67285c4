import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import { buildParts, TestAgent } from "../test-agent.js";
import { write } from "./write-fixture.js";

const racerPath = new URL("symlink-racer.mjs", import.meta.url).pathname;
const raceMs = 30_000;
/** How long the race goes on if it has not gone both ways often enough. */
const maxRaceMs = 60_000;

let agent: TestAgent;

beforeAll(async () => {
  agent = TestAgent.boot({ parts: await buildParts() });
});
afterAll(() => agent.stop());

function enough(outcomes: ReadonlyMap<string, number>, wanted: readonly string[]): boolean {
  return wanted.every((outcome) => (outcomes.get(outcome) ?? 0) > 5);
}

async function outcome(path: string): Promise<string> {
  try {
    await write(agent, path, "stray\n");
    return "written";
  } catch (error) {
    return error instanceof AgentFailure ? `refused ${error.detail.kind}` : String(error);
  }
}

describe("a path to write whose names are swapped for symbolic links meanwhile", () => {
  it("never leads to a file outside of the roots", async () => {
    const outside = join(agent.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "canary.txt"), "CANARY\n");
    writeFileSync(join(agent.root, "inside.txt"), "inside\n");
    const racer = spawn(process.execPath, [racerPath, agent.root, outside], { stdio: "inherit" });
    const outcomes = new Map<string, number>();
    try {
      const startedAt = performance.now();
      const elapsedMs = () => performance.now() - startedAt;
      while (elapsedMs() < raceMs || (elapsedMs() < maxRaceMs && !enough(outcomes, ["refused 2", "written"])))
        for (const path of ["file", "dir/canary.txt", "dir/new/deep.txt", "file"]) {
          const text = await outcome(path);
          outcomes.set(text, (outcomes.get(text) ?? 0) + 1);
        }
      expect(racer.exitCode).toBeNull();
    } finally {
      racer.kill("SIGKILL");
    }
    expect([readdirSync(outside), readFileSync(join(outside, "canary.txt"), "utf8")]).toEqual([
      ["canary.txt"],
      "CANARY\n",
    ]);
    expect(outcomes.get("refused 2")).toBeGreaterThan(5);
    expect(outcomes.get("written")).toBeGreaterThan(5);
    expect([...outcomes.keys()].filter((text) => !/^written$|^refused \d+$/.test(text))).toEqual([]);
    expect(outcomes.get("refused 13")).toBeUndefined();
  });
});
