import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";
import { stateStoreContract } from "../contracts/state-store.js";
import { count, embeddedPrograms, key, newDirectory, record } from "./embedded-setup.js";

const { checkScript, open, start } = embeddedPrograms();

stateStoreContract("The embedded store", async () => {
  const parent = await mkdtemp(join(tmpdir(), "handrail-state-"));
  return {
    store: await openEmbeddedStore({ directory: join(parent, "state"), checkScript: checkScript() }),
    cleanUp: () => rm(parent, { recursive: true, force: true }),
  };
});

describe("the embedded store over time", () => {
  it("keeps everything that was promised by writers that were killed, and no half of a commit", async () => {
    const directory = await newDirectory();
    const promised: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const { child, lines } = await start("writer", directory, String(round * 1_000_000));
      await sleep(20 + round * 10);
      child.kill("SIGKILL");
      await once(child, "close");
      promised.push(...lines.filter((line) => line.length === 9));
    }
    const store = await open(directory);
    const found = new Map<string, string[]>();
    for await (const { key, value } of store.list({ space: "n", prefix: [] })) {
      const [id = "", part = ""] = key.parts;
      found.set(id, [...(found.get(id) ?? []), part]);
      expect(Buffer.from(value).equals(Buffer.alloc(700, id))).toBe(true);
    }
    expect(promised.length).toBeGreaterThan(500);
    expect(promised.filter((id) => !found.has(id))).toEqual([]);
    expect([...found.values()].filter((parts) => parts.join() !== "left,right")).toEqual([]);
  });

  it("has after closing and opening what it had before", async () => {
    const directory = await newDirectory();
    const first = await open(directory);
    await first.commit([record(10, "a"), record(2 * 1024 * 1024, "b")]);
    const before = await first.get(key("b"));
    await first.close();
    const second = await open(directory);
    const after = await second.get(key("b"));
    expect(after?.version).toBe(before?.version);
    expect(Buffer.compare(after?.value ?? Buffer.of(), before?.value ?? Buffer.of())).toBe(0);
    expect(await second.commit([{ ...record(1, "a"), ifVersion: "" }])).toBe(false);
  });

  it("makes its directory for its user alone", async () => {
    const directory = await newDirectory();
    await open(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it("grows to more than it was opened with", async () => {
    const directory = await newDirectory();
    const store = await open(directory);
    for (let i = 0; i < 10; i += 1)
      await Promise.all([1, 2, 3].map((j) => store.commit([record(2 * 1024 * 1024, `${i}-${j}`)])));
    expect(await count(store)).toBe(30);
  });

  it("removes expired records from the file by itself, by its own clock", async () => {
    const directory = await newDirectory();
    let nowMs = 1_000_000;
    const store = await open(directory, { now: () => nowMs });
    const size = async () => (await stat(join(directory, "data.mdb"))).size;
    const fill = async (round: number) => {
      for (let i = 0; i < 8; i += 1)
        await store.commit([{ ...record(512 * 1024, `${round}-${i}`), expiresAtMs: nowMs + 1000 }]);
    };
    await fill(0);
    const sizeOfOne = await size();
    for (let round = 1; round < 3; round += 1) {
      nowMs += 1000;
      expect(await count(store)).toBe(0);
      await sleep(1200);
      await fill(round);
    }
    expect(await size()).toBeLessThan(2 * sizeOfOne);
    expect(await count(store)).toBe(8);
  });
});
