import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openProcessRoom } from "../../src/sandbox-agent/process-room.js";

/** A file system in which the cgroup of the process has a count and a limit of processes. */
function fileSystem(options: { cgroup: string; directory: string; current: string; max: string }): string {
  const root = mkdtempSync(join(tmpdir(), "handrail-cgroup-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const directory = join(root, "sys/fs/cgroup", options.directory);
  mkdirSync(directory, { recursive: true });
  mkdirSync(join(root, "proc/self"), { recursive: true });
  writeFileSync(join(root, "proc/self/cgroup"), options.cgroup);
  writeFileSync(join(directory, "pids.current"), `${options.current}\n`);
  writeFileSync(join(directory, "pids.max"), `${options.max}\n`);
  return root;
}

describe("the room for processes", () => {
  const places = [
    { cgroup: "12:cpu:/\n8:pids:/docker/abc\n0::/\n", directory: "pids/docker/abc" },
    { cgroup: "8:pids:/docker/abc\n", directory: "pids" },
    { cgroup: "0::/app\n", directory: "app" },
    { cgroup: "0::/app\n", directory: "." },
  ];
  for (const place of places) {
    it(`is nearly used up above seven eighths of the limit, as read in ${place.directory}`, () => {
      expect(openProcessRoom(fileSystem({ ...place, current: "448", max: "512" }))()).toBe(false);
      expect(openProcessRoom(fileSystem({ ...place, current: "449", max: "512" }))()).toBe(true);
    });
  }

  it("is never used up where there is no limit, or no count", () => {
    const unlimited = { cgroup: "0::/\n", directory: ".", current: "9000", max: "max" };
    expect(openProcessRoom(fileSystem(unlimited))()).toBe(false);
    expect(openProcessRoom(fileSystem({ ...unlimited, directory: "other" }))()).toBe(false);
  });
});
