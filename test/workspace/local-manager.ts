import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LocalIsolation } from "../../src/sandbox/local/options.js";
import { createLocalProvider } from "../../src/sandbox/local/provider.js";
import type { SandboxKey } from "../../src/sandbox/provider.js";
import { sandboxHash } from "../../src/sandbox/sandbox-name.js";
import type { Workspace, WorkspaceManager } from "../../src/workspace/workspace.js";
import { temporaryDataDir } from "../sandbox/local/local-provider-under-test.js";
import { bash, managerOver, never, newKey } from "./workspace-under-test.js";

/** Kills the agent that runs this script: the ancestor of that name. */
const KILL_AGENT = `
  pid=$$
  until [ "$(cat /proc/$pid/comm)" = handrail-agent ]; do pid=$(awk '/^PPid/ { print $2 }' /proc/$pid/status); done
  kill -9 $pid
  sleep 30`;

/** What the manager does over the local provider. */
export function describeLocalManager(isolation: LocalIsolation): void {
  describe(`the workspace manager over local sandboxes (${isolation})`, () => {
    let manager: WorkspaceManager;
    let directory: Awaited<ReturnType<typeof temporaryDataDir>>;
    let key: SandboxKey;

    const open = (): Promise<Workspace> => manager.getOrCreate(key, { signal: never });

    beforeAll(async () => {
      directory = await temporaryDataDir();
      manager = await managerOver(await createLocalProvider({ dataDir: directory.dataDir, isolation }));
    });

    beforeEach(() => {
      key = newKey();
    });

    afterAll(async () => {
      await manager.close();
      await directory.cleanUp();
    });

    it("runs a command in the workspace as an unprivileged user", async () => {
      const workspace = await open();
      const { stdout } = await bash(workspace, "pwd; id -u; echo $HOME");
      const [cwd, uid, home] = stdout.split("\n");
      expect(cwd).toBe(workspace.root);
      expect(Number(uid)).toBeGreaterThan(0);
      expect(home).toMatch(/\/(home|home\/agent)$/);
    });

    it("boots a new agent after the old one was killed, with all files", async () => {
      await bash(await open(), "touch kept");
      const ran = bash(await open(), `sleep 0.2; ${KILL_AGENT}`);
      await expect(ran).rejects.toMatchObject({ name: "SandboxLost", kind: "agent", begun: "yes" });
      const workspace = await open();
      expect((await bash(workspace, "ls")).stdout).toBe("kept\n");
      expect(workspace.takeNotices()).toHaveLength(1);
    });

    it("makes a new sandbox after the directory of the project was removed", async () => {
      await bash(await open(), "touch lost");
      const root = join(directory.dataDir, "sandboxes", sandboxHash(key));
      const ran = bash(await open(), `sleep 0.3; ${KILL_AGENT}`, {
        onStarted: () => void rm(root, { recursive: true }),
      });
      await expect(ran).rejects.toMatchObject({ name: "SandboxLost", kind: "sandbox" });
      const workspace = await open();
      expect(workspace.generation).toBe(2);
      expect((await bash(workspace, "ls")).stdout).toBe("");
    });
  });
}
