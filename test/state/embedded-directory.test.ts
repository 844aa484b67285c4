import { once } from "node:events";
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";
import {
  afterThisTest,
  count,
  embeddedPrograms,
  key,
  newDirectory,
  newMount,
  record,
  remount,
} from "./embedded-setup.js";

const { open, start } = embeddedPrograms();

describe("the lock of the embedded store", () => {
  it("names the process that holds it", async () => {
    const directory = await newDirectory();
    const { child } = await start("holder", directory);
    await expect(open(directory)).rejects.toMatchObject({
      name: "StateError",
      failure: "held",
      message: `the state in ${directory} is in use by process ${child.pid ?? 0}: stop that one, or choose another directory`,
    });
  });

  it("goes at once with the process that was killed", async () => {
    const directory = await newDirectory();
    const { child } = await start("holder", directory);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect(open(directory)).resolves.toBeDefined();
  });

  it("holds within one process too, until the store is closed", async () => {
    const directory = await newDirectory();
    const store = await open(directory);
    await expect(open(directory)).rejects.toMatchObject({ failure: "held" });
    await store.commit([record(1, "a")]);
    await store.close();
    const again = await open(directory);
    expect(await count(again)).toBe(1);
  });

  it("is let go if the database cannot be opened", async () => {
    const directory = await newDirectory();
    await expect(openEmbeddedStore({ directory, checkScript: "/nowhere/check.mjs" })).rejects.toMatchObject({
      failure: "unusable",
    });
    await expect(open(directory)).resolves.toBeDefined();
  });

  it("says to install util-linux where there is no flock", async () => {
    const directory = await newDirectory();
    vi.stubEnv("PATH", "/nowhere");
    afterThisTest(() => vi.unstubAllEnvs());
    await expect(open(directory)).rejects.toMatchObject({
      failure: "unusable",
      message: "there is no program flock to lock the state with: install util-linux",
    });
  });
});

describe("a damaged file of the embedded store", () => {
  const damages: Record<string, (path: string, size: number) => Promise<void>> = {
    "cut to half": (path, size) => truncate(path, size / 2),
    "cut to its first pages": (path) => truncate(path, 8192),
    "cut within its first page": (path) => truncate(path, 100),
    "full of garbage": (path, size) => writeFile(path, garbage(size)),
    "full of garbage behind its first pages": async (path, size) => {
      const head = (await readFile(path)).subarray(0, 8192);
      await writeFile(path, Buffer.concat([head, garbage(size - 8192)]));
    },
  };

  for (const [name, damage] of Object.entries(damages)) {
    it(`is found out where it is ${name}, without harm to this process`, async () => {
      const directory = await newDirectory();
      const store = await open(directory);
      for (let i = 0; i < 40; i += 1) await store.commit([record(20_000, String(i))]);
      await store.close();
      const path = join(directory, "data.mdb");
      await damage(path, (await stat(path)).size);
      await expect(open(directory)).rejects.toMatchObject({
        failure: "damaged",
        message:
          `the state in ${directory} is damaged: move that directory away or restore it from a copy; ` +
          "only the history of calls and sessions is lost, no project files",
      });
    });
  }
});

describe("a directory that the embedded store cannot use", () => {
  it("is read-only", async () => {
    const directory = await newMount(4096);
    await (await open(directory)).close();
    remount(directory, "ro");
    const advice = "cannot be written to: give this user write access, or choose another directory";
    for (const inside of [directory, join(directory, "new"), join(directory, "new", "deep")])
      await expect(open(inside)).rejects.toMatchObject({
        failure: "read-only",
        message: `the state in ${inside} ${advice}`,
      });
  });

  it("is full when it is opened", async () => {
    const directory = await newMount(1024);
    await expect(writeFile(join(directory, "much"), Buffer.alloc(2 * 1024 * 1024, 1))).rejects.toThrow(
      "ENOSPC",
    );
    await expect(open(directory)).rejects.toMatchObject({
      failure: "full",
      message: `the state in ${directory} has no room left on its disk: free some, or choose a directory on another disk`,
    });
  });

  it("is a file", async () => {
    const directory = await newDirectory();
    await writeFile(directory, "not a directory");
    for (const inside of [directory, join(directory, "below")])
      await expect(open(inside)).rejects.toMatchObject({ failure: "unusable" });
    await expect(open(directory)).rejects.toThrow(
      `${directory} is not a directory: choose another place for the state`,
    );
  });
});

describe("a disk that becomes full under the embedded store", () => {
  it("makes commits reject, keeps what is there, and does no harm once there is room", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
    afterThisTest(() => printed.mockRestore());
    const directory = await newMount(1024);
    const store = await open(directory);
    let written = 0;
    const fill = async () => {
      for (; written < 100; written += 1)
        await store.commit([record(64 * 1024, String(written).padStart(3, "0"))]);
    };
    await expect(fill()).rejects.toMatchObject({ name: "StateError", failure: "full" });
    const together = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => store.commit([record(200 * 1024, `big-${i}`)])),
    );
    expect(together.map(({ status }) => status)).toEqual(Array<string>(10).fill("rejected"));
    expect(written).toBeGreaterThan(3);
    expect(await count(store)).toBe(written);
    expect((await store.get(key("000")))?.value).toEqual(new Uint8Array(64 * 1024).fill(7));
    remount(directory, "size=16384k");
    expect(await store.commit([record(200 * 1024, "after"), { key: key("000"), remove: true }])).toBe(true);
    await store.close();
    expect(await count(await open(directory))).toBe(written);
  });
});

function garbage(size: number): Buffer {
  let state = 12345;
  return Buffer.from(
    Uint8Array.from({ length: size }, () => (state = (state * 1103515245 + 12345) & 0x7fffffff) >> 16),
  );
}
