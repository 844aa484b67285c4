import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/provider.js";
import { bash, managerOver, never, newKey } from "../../workspace/workspace-under-test.js";
import type { Workspace, WorkspaceManager } from "../../../src/workspace/workspace.js";
import { docker, dockerProviderUnderTest } from "./docker-under-test.js";

describe("a docker sandbox, seen from inside", () => {
  const under = dockerProviderUnderTest();
  let manager: WorkspaceManager;
  let workspace: Workspace;
  let sandbox: Sandbox;

  const printed = async (script: string): Promise<string> => (await bash(workspace, script)).stdout;

  beforeAll(async () => {
    manager = await managerOver(under.provider);
    const key = newKey();
    workspace = await manager.getOrCreate(key, { signal: never });
    sandbox = await under.provider.getOrCreate(key, { nextGeneration: 1, signal: never });
  });

  afterAll(async () => {
    await manager.close();
    await under.cleanUp();
  });

  it("has no capability, no new privileges and a seccomp filter", async () => {
    const status = await printed("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -s '\\t' ' '");
    const none = "0000000000000000";
    const capabilities = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}: ${none}\n`).join("");
    expect(status).toBe(`${capabilities}NoNewPrivs: 1\nSeccomp: 2\n`);
  });

  it("runs commands as uid 1000 and the main process as another user", async () => {
    expect(await printed("id -u; id -g; id -G; stat -c %u /proc/1")).toBe("1000\n1000\n1000\n65534\n");
  });

  it("is writable only in the workspace, home, /tmp and the agent's own directory", async () => {
    const script = `for d in / /etc /usr /var /opt /workspace ~ /tmp /run /run/handrail; do
      touch $d/probe 2>/dev/null && echo $d; done`;
    expect(await printed(script)).toBe("/workspace\n/home/agent\n/tmp\n/run/handrail\n");
  });

  it("lets programs in /tmp run", async () => {
    expect(await printed("printf '#!/bin/sh\\necho ran' > /tmp/p; chmod +x /tmp/p; /tmp/p")).toBe("ran\n");
  });

  it("bounds memory, swap, processes, processors and temporary files", async () => {
    const { HostConfig } = await docker.getContainer(sandbox.id).inspect();
    const gib = 1024 ** 3;
    expect(HostConfig).toMatchObject({ Memory: 2 * gib, MemorySwap: 2 * gib, PidsLimit: 512, NanoCpus: 2e9 });
    expect(await printed("df -B1 --output=size /tmp /run/handrail | tail -2 | tr -d ' '")).toBe(
      `${gib / 2}\n${8 * 1024 * 1024}\n`,
    );
  });

  it("has no network but loopback", async () => {
    expect(await printed("ls /sys/class/net")).toBe("lo\n");
  });

  it("has no engine socket and no namespace of the host", async () => {
    expect(await printed("find / -xdev -name 'docker*.sock' 2>/dev/null")).toBe("");
    const { HostConfig } = await docker.getContainer(sandbox.id).inspect();
    expect(HostConfig).toMatchObject({
      Privileged: false,
      AutoRemove: false,
      ReadonlyRootfs: true,
      Init: true,
      PidMode: "",
      IpcMode: "private",
      UTSMode: "",
      CgroupnsMode: "private",
      NetworkMode: "none",
      LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } },
    });
  });

  it("starts in a constant directory and carries no name of tenant or project", async () => {
    const { Config, Name } = await docker.getContainer(sandbox.id).inspect();
    expect(Config.WorkingDir).toBe("/");
    expect(Name).toMatch(/^\/handrail-[0-9a-f]{20}$/);
    expect(JSON.stringify(Config.Labels)).not.toContain(sandbox.key.tenant);
  });

  it("survives a command that kills all sleeping processes", async () => {
    await printed("pkill -9 sleep; true");
    expect(await under.provider.state(sandbox)).toBe("running");
  });
});
