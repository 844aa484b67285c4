import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import { buildParts, TestAgent } from "../test-agent.js";

const racerPath = new URL("symlink-racer.mjs", import.meta.url).pathname;
const raceMs = 30_000;
/** How long the race goes on if it has not gone both ways often enough. */
const maxRaceMs = 60_000;

let agent: TestAgent;
let unconfined: TestAgent;

beforeAll(async () => {
  const parts = await buildParts();
  agent = TestAgent.boot({ parts });
  const { workspaceRoot } = agent.config;
  unconfined = TestAgent.boot({ parts, config: { workspaceRoot, readRoots: ["/"] } });
});
afterAll(() => Promise.all([agent.stop(), unconfined.stop()]));

function enough(outcomes: ReadonlyMap<string, number>, wanted: readonly string[]): boolean {
  return wanted.every((outcome) => (outcomes.get(outcome) ?? 0) > 5);
}

/** What came of reading a path: the first line, or the kind of the refusal. */
async function outcome(where: TestAgent, path: string): Promise<string> {
  try {
    const { lines } = await where.readLines(path);
    return Buffer.from(lines[0]?.data ?? []).toString();
  } catch (error) {
    return error instanceof AgentFailure ? `refused ${error.detail.kind}` : String(error);
  }
}

describe("a path whose names are swapped for symbolic links meanwhile", () => {
  it("never leads to a file outside of the roots, where it does without roots", async () => {
    const outside = join(agent.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "canary.txt"), "CANARY\n");
    writeFileSync(join(agent.root, "inside.txt"), "inside\n");
    const racer = spawn(process.execPath, [racerPath, agent.root, outside], { stdio: "inherit" });
    const outcomes = new Map<string, number>();
    let canaries = 0;
    try {
      const startedAt = performance.now();
      const elapsedMs = () => performance.now() - startedAt;
      while (
        elapsedMs() < raceMs ||
        (elapsedMs() < maxRaceMs && !(canaries > 5 && enough(outcomes, ["refused 2", "inside"])))
      )
        for (const path of ["file", "file", "file", "dir/canary.txt"]) {
          const text = await outcome(agent, path);
          outcomes.set(text, (outcomes.get(text) ?? 0) + 1);
          if ((await outcome(unconfined, path)) === "CANARY") canaries += 1;
        }
      expect(racer.exitCode).toBeNull();
    } finally {
      racer.kill("SIGKILL");
    }
    expect(canaries).toBeGreaterThan(5);
    expect(outcomes.get("inside")).toBeGreaterThan(5);
    expect(outcomes.get("refused 2")).toBeGreaterThan(5);
    expect(
      [...outcomes.keys()].filter((text) => text !== "inside" && !/^refused [1258]$/.test(text)),
    ).toEqual([]);
  });
});
