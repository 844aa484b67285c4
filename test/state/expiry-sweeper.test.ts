import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { applyChanges, headAt } from "../../src/state/embedded/apply-changes.js";
import { StateDatabase } from "../../src/state/embedded/database.js";
import { ExpirySweeper } from "../../src/state/embedded/expiry-sweeper.js";
import { encodeKey } from "../../src/state/embedded/key-bytes.js";
import { prepareChange } from "../../src/state/embedded/prepared-change.js";
import { createVersionSource } from "../../src/state/embedded/version-source.js";

const key = { space: "space", parts: ["id"] };
const nextVersion = createVersionSource();
let directory: string;
let database: StateDatabase;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "handrail-state-"));
  database = new StateDatabase(directory);
});

afterEach(async () => {
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

function put(expiresAtMs: number): void {
  const prepared = prepareChange({ key, put: Buffer.from("value"), expiresAtMs }, nextVersion);
  database.write((tables) => applyChanges(tables, [prepared], 0));
}

const expiryOf = () => headAt(database.tables, encodeKey(key))?.expiresAtMs;
const indexed = () => [...database.tables.expiry.getKeys({})].length;

it("removes a record that has expired, and its entry in the index", async () => {
  put(1000);
  expect([expiryOf(), indexed()]).toEqual([1000, 1]);
  const sweeper = new ExpirySweeper({ database, now: () => 1000, report: () => undefined });
  await vi.waitFor(() => expect([expiryOf(), indexed()]).toEqual([undefined, 0]));
  sweeper.stop();
});

it("leaves a record that is written anew while it is about to be removed", async () => {
  put(1000);
  let isRewritten = false;
  const now = () => {
    if (!isRewritten) put(9000);
    isRewritten = true;
    return 1000;
  };
  const sweeper = new ExpirySweeper({ database, now, report: () => undefined });
  await vi.waitFor(() => expect(isRewritten).toBe(true));
  sweeper.stop();
  expect([expiryOf(), indexed()]).toEqual([9000, 1]);
});

it("tells of a sweep that failed, and tries again", async () => {
  put(1000);
  const failure = new Error("no clock");
  const told: unknown[] = [];
  let calls = 0;
  const now = () => {
    calls += 1;
    if (calls <= 2) throw failure;
    return 1000;
  };
  const sweeper = new ExpirySweeper({ database, now, report: (error) => told.push(error), restMs: 5 });
  await vi.waitFor(() => expect(expiryOf()).toBeUndefined());
  sweeper.stop();
  expect(told).toEqual([failure, failure]);
});
