import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { SpawnSupervisor } from "../../../src/sandbox-agent/supervise/spawn-supervisor.js";
import { describeSupervisor } from "./supervisor-contract.js";

const root = mkdtempSync(join(tmpdir(), "handrail-spawn-"));
let made = 0;

afterAll(() => rmSync(root, { recursive: true, force: true }));

function make(): Promise<{ supervisor: SpawnSupervisor; directory: string }> {
  const directory = join(root, `d${++made}`);
  mkdirSync(directory);
  return Promise.resolve({ supervisor: new SpawnSupervisor({ directory }), directory });
}

describeSupervisor("the reduced supervisor", { make, manyRuns: 200 });
