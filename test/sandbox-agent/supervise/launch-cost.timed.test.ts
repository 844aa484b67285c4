import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { buildLauncher } from "../../../scripts/build-launcher.mjs";
import { LauncherSupervisor } from "../../../src/sandbox-agent/supervise/launcher-supervisor.js";
import { runToExit } from "./recorded-run.js";

const ROUNDS = 200;
const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };

/** `bash -c true` by Node alone, with pipes and a session of its own, until all is closed. */
function spawnTrue(): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", "true"], { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("close", () => resolve());
  });
}

async function elapsedMs(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return performance.now() - startMs;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

it("says what a run by the launcher costs against a spawn by Node", async () => {
  const root = mkdtempSync(join(tmpdir(), "handrail-cost-"));
  const built = buildLauncher({ outDir: join(root, "build") });
  if ("reason" in built) throw new Error(`this test needs a C compiler: ${built.reason}`);
  const supervisor = await LauncherSupervisor.boot({ directory: root, binary: readFileSync(built.path) });
  onTestFinished(async () => {
    await supervisor.close();
    rmSync(root, { recursive: true, force: true });
  });
  const launched: number[] = [];
  const spawned: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    launched.push(await elapsedMs(() => runToExit(supervisor, "true")));
    spawned.push(await elapsedMs(spawnTrue));
  }
  const [launchMs, spawnMs] = [median(launched), median(spawned)];
  console.log(
    `bash true, p50: launcher ${launchMs.toFixed(2)} ms, spawn ${spawnMs.toFixed(2)} ms, ` +
      `${(launchMs / spawnMs).toFixed(2)} x`,
  );
  expect(launched).toHaveLength(ROUNDS);
});
