import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalProvider } from "../../../src/sandbox/local/provider.js";
import type { Workspace, WorkspaceManager } from "../../../src/workspace/workspace.js";
import { bash, managerOver, never, newKey } from "../../workspace/workspace-under-test.js";
import { temporaryDataDir } from "./local-provider-under-test.js";

describe("a bubblewrap sandbox, seen from inside", () => {
  let manager: WorkspaceManager;
  let workspace: Workspace;
  let directory: Awaited<ReturnType<typeof temporaryDataDir>>;

  const printed = async (script: string): Promise<string> => (await bash(workspace, script)).stdout;

  beforeAll(async () => {
    directory = await temporaryDataDir();
    manager = await managerOver(
      await createLocalProvider({ dataDir: directory.dataDir, isolation: "bubblewrap" }),
    );
    workspace = await manager.getOrCreate(newKey(), { signal: never });
  });

  afterAll(async () => {
    await manager.close();
    await directory.cleanUp();
  });

  it("sees of the machine only programs and what they need", async () => {
    const entries = (await printed("ls /")).trim().split("\n");
    const allowed = [
      "bin",
      "dev",
      "etc",
      "home",
      "lib",
      "lib32",
      "lib64",
      "libx32",
      "proc",
      "run",
      "sbin",
      "tmp",
    ];
    expect(allowed.concat("usr", "workspace")).toEqual(expect.arrayContaining(entries));
    expect(await printed("ls /run /home")).toBe("/home:\nagent\n\n/run:\nhandrail\n");
  });

  it("cannot read the machine's users and secrets, or reach an engine", async () => {
    expect(await printed("cat /etc/passwd | cut -d: -f1; cat /etc/shadow 2>/dev/null")).toBe("agent\n");
    expect(await printed("ls /var/run/docker.sock /etc/ssl/private /root 2>/dev/null")).toBe("");
  });

  it("has processes and a network of its own", async () => {
    expect(
      await printed("ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"),
    ).toBe("lo\n");
    expect(Number(await printed("ls /proc | grep -c '^[0-9]'"))).toBeLessThan(15);
    expect(await printed("hostname")).toBe("sandbox\n");
  });

  it("cannot write to the system or make further user namespaces", async () => {
    expect(await printed("for d in / /usr /etc /run; do touch $d/probe 2>/dev/null && echo $d; done")).toBe(
      "",
    );
    expect(await printed("unshare --user true 2>/dev/null || echo refused")).toBe("refused\n");
  });
});
