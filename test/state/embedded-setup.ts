import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach } from "vitest";
import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";
import type { StateStore } from "../../src/state/store.js";
import { bundlesOf } from "./bundle.js";

/** Runs after the test, the last one that was added first. */
const cleanUps: (() => unknown)[] = [];

/** Programs for the tests of the embedded store; to be called once in a file. */
export function embeddedPrograms() {
  const bundle = bundlesOf({
    check: "src/state/embedded/check-main.ts",
    writer: "test/state/writer-program.ts",
    holder: "test/state/holder-program.ts",
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });
  return {
    checkScript: () => bundle("check"),
    /** Opens a store that is closed after the test. */
    open: async (directory: string, options: { now?: () => number } = {}): Promise<StateStore> => {
      const store = await openEmbeddedStore({ directory, checkScript: bundle("check"), ...options });
      cleanUps.push(() => store.close());
      return store;
    },
    /** Starts a program that opens a store, and resolves after its first line. It is killed after the test. */
    start: async (
      name: "writer" | "holder",
      directory: string,
      ...args: string[]
    ): Promise<StartedProgram> => {
      const argv = [bundle(name), directory, bundle("check"), ...args];
      const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
      cleanUps.push(() => child.kill("SIGKILL"));
      const lines: string[] = [];
      const reader = createInterface({ input: child.stdout });
      const first = once(reader, "line");
      reader.on("line", (line) => lines.push(line));
      await first;
      return { child, lines };
    },
  };
}

/** A program and the lines that it has printed. */
export interface StartedProgram {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
}

/** Does something after the test. */
export function afterThisTest(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** A directory for one test that is not there yet. */
export async function newDirectory(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "handrail-state-"));
  cleanUps.push(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "state");
}

/** A file system of its own of that size, mounted for one test. */
export async function newMount(sizeKiB: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "handrail-state-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKiB}k`, "tmpfs", directory]);
  cleanUps.push(async () => {
    execFileSync("umount", [directory]);
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Changes an option of a mount. */
export function remount(directory: string, option: string): void {
  execFileSync("mount", ["-o", `remount,${option}`, directory]);
}

/** The key of a record of these tests. */
export const key = (...parts: string[]) => ({ space: "space", parts });

/** A change that puts so many bytes. */
export const record = (size: number, ...parts: string[]) => ({
  key: key(...parts),
  put: new Uint8Array(size).fill(7),
});

/** The number of records of these tests. */
export async function count(store: StateStore): Promise<number> {
  let records = 0;
  for await (const entry of store.list({ space: "space", prefix: [] })) records += entry.key.parts.length;
  return records;
}
