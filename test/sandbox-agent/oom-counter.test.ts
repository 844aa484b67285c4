import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openOomCounter } from "../../src/sandbox-agent/oom-counter.js";

function fileSystem(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "handrail-cgroup-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

const ofHost = "12:cpu,cpuacct:/\n9:memory:/docker/abc\n0::/\n";
const control = "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n";

describe("the counter of processes killed for lack of memory", () => {
  const found: [name: string, files: Record<string, string>][] = [
    [
      "of a cgroup of version 1",
      { "proc/self/cgroup": ofHost, "sys/fs/cgroup/memory/docker/abc/memory.oom_control": control },
    ],
    [
      "of a container that sees its own cgroup only",
      { "proc/self/cgroup": ofHost, "sys/fs/cgroup/memory/memory.oom_control": control },
    ],
    [
      "of a cgroup of version 2",
      { "proc/self/cgroup": "0::/app\n", "sys/fs/cgroup/app/memory.events": "oom 9\noom_kill 7\n" },
    ],
  ];
  for (const [name, files] of found)
    it(`is read ${name}`, () => {
      expect(openOomCounter(fileSystem(files))()).toBe(7);
    });

  it("moves with the file", () => {
    const root = fileSystem({ "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.events": "oom_kill 0\n" });
    const counter = openOomCounter(root);
    writeFileSync(join(root, "sys/fs/cgroup/memory.events"), "oom_kill 2\n");
    expect(counter()).toBe(2);
  });

  it("stays 0 where there is none", () => {
    expect(openOomCounter(fileSystem({ "proc/self/cgroup": "0::/\n" }))()).toBe(0);
  });
});
