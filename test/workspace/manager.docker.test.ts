import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SandboxLost } from "../../src/workspace/workspace.js";
import { containerName } from "../../src/sandbox/docker/labels.js";
import type { SandboxKey } from "../../src/sandbox/provider.js";
import type { Workspace, WorkspaceManager } from "../../src/workspace/workspace.js";
import { docker, dockerProviderUnderTest, SANDBOX_IMAGE } from "../sandbox/docker/docker-under-test.js";
import { bash, managerOver, never, newKey } from "./workspace-under-test.js";

describe("the workspace manager over docker", () => {
  const under = dockerProviderUnderTest();
  let manager: WorkspaceManager;
  let key: SandboxKey;

  const open = (onPhase?: (message: string) => void): Promise<Workspace> =>
    manager.getOrCreate(key, { signal: never, ...(onPhase === undefined ? {} : { onPhase }) });
  const container = () => docker.getContainer(containerName(key, under.instance));
  const containerId = async (): Promise<string> => (await container().inspect()).Id;

  beforeAll(async () => {
    manager = await managerOver(under.provider);
  });

  beforeEach(() => {
    key = newKey();
  });

  afterAll(async () => {
    await manager.close();
    await under.cleanUp();
  });

  it("runs a command in the workspace and tells what it does meanwhile", async () => {
    const phases: string[] = [];
    const workspace = await open((message) => phases.push(message));
    const ran = await bash(workspace, "pwd; id -un; echo err >&2; exit 3");
    expect(ran).toMatchObject({ stdout: "/workspace\nagent\n", stderr: "err\n" });
    expect(ran.exit.status).toEqual({ case: "code", value: 3 });
    expect(phases).toEqual(["getting the sandbox", "starting the agent process in the sandbox"]);
    expect(workspace.takeNotices()).toEqual([]);
  });

  it("boots one agent for all who ask, at once and later", async () => {
    const all = await Promise.all([open(), open(), open()]);
    all.push(await open());
    expect(new Set(all).size).toBe(1);
    expect(manager.peek(key)).toBe(all[0]);
  });

  it("reads lines and whole files", async () => {
    const workspace = await open();
    const { files } = workspace;
    await bash(workspace, "printf 'one\\ntwo\\n' > f");
    const limits = { firstLine: 2, maxLines: 5, maxBytes: 1000, maxLineBytes: 100 };
    const { lines, atEnd } = await files.readLines({ path: "f", ...limits, signal: never });
    const whole = await files.readAll({ path: "f", maxFileBytes: 8, signal: never });
    expect(lines.map(({ data }) => Buffer.from(data).toString())).toEqual(["two"]);
    expect(atEnd).toBe(true);
    expect(Buffer.from(whole.data).toString()).toBe("one\ntwo\n");
    await expect(files.readAll({ path: "f", maxFileBytes: 7, signal: never })).rejects.toMatchObject({
      name: "AgentFailure",
    });
  });

  it("gives five calls one new container after the old one was removed, and says once what was lost", async () => {
    await bash(await open(), "touch /workspace/kept ~/kept /tmp/lost");
    const oldId = await containerId();
    await container().remove({ force: true });
    const ran = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => {
        const workspace = await open();
        const { stdout } = await bash(workspace, "echo $HOSTNAME; ls /workspace ~ /tmp");
        return { stdout, generation: workspace.generation };
      }),
    );
    expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(1);
    expect(ran[0]?.stdout).toMatch(/kept\n\n[^]*kept/);
    expect(ran[0]?.stdout).not.toContain("lost");
    expect(ran[0]?.generation).toBe(2);
    expect(await containerId()).not.toBe(oldId);
    const notices = (await open()).takeNotices();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain("replaced (generation 2)");
    expect((await open()).takeNotices()).toEqual([]);
  });

  it("unpauses a paused container for a call", async () => {
    const workspace = await open();
    const id = await containerId();
    await container().pause();
    const startedAt = performance.now();
    expect((await bash(await open(), "echo hi")).stdout).toBe("hi\n");
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(await containerId()).toBe(id);
    expect((await open()).generation).toBe(workspace.generation);
  });

  it("waits for a command whose container is paused for a while", async () => {
    const workspace = await open();
    const ran = bash(workspace, "sleep 0.5; echo x");
    await sleep(200);
    await container().pause();
    await sleep(1500);
    await container().unpause();
    expect((await ran).stdout).toBe("x\n");
  });

  it("starts a stopped container again and says what was lost", async () => {
    await bash(await open(), "touch /tmp/lost");
    const id = await containerId();
    await container().kill();
    const workspace = await open();
    expect((await bash(workspace, "ls /tmp")).stdout).not.toContain("lost");
    expect(await containerId()).toBe(id);
    expect(workspace.generation).toBe(1);
    expect(workspace.takeNotices()[0]).toMatch(/^The sandbox was stopped and started again/);
  });

  it("tells the removal of the sandbox under a command from other losses", async () => {
    const ran = bash(await open(), "sleep 30", { onStarted: () => void container().remove({ force: true }) });
    await expect(ran).rejects.toMatchObject({ name: "SandboxLost", kind: "sandbox", begun: "yes" });
  });

  it("calls a sandbox that was killed under a command not gone", async () => {
    const ran = bash(await open(), "sleep 30", { onStarted: () => void container().kill() });
    await expect(ran).rejects.toMatchObject({ name: "SandboxLost", kind: "agent", begun: "yes" });
  });

  it("boots a new agent in the same container after a command killed the old one", async () => {
    const workspace = await open();
    const id = await containerId();
    await bash(workspace, "touch /tmp/kept");
    const ran = bash(workspace, "sleep 0.2; kill -9 -1");
    await expect(ran).rejects.toMatchObject({ name: "SandboxLost", kind: "agent", begun: "yes" });
    const next = await open();
    expect((await bash(next, "ls /tmp")).stdout).toContain("kept");
    expect(await containerId()).toBe(id);
    expect(next.takeNotices()[0]).toMatch(/^The agent process of the sandbox was started again/);
  });

  it("does not say that a call on a lost workspace had begun", async () => {
    const workspace = await open();
    await container().remove({ force: true });
    const loss: unknown = await bash(workspace, "echo x").catch((error: unknown) => error);
    if (!(loss instanceof SandboxLost)) throw new Error("the workspace was not lost");
    expect(loss.kind).toBe("sandbox");
    expect(loss.begun).not.toBe("yes");
  });

  it("kills the whole run on abort and resolves with its exit", async () => {
    const workspace = await open();
    const controller = new AbortController();
    const startedAt = performance.now();
    const { exit } = await bash(workspace, "trap '' TERM; setsid sleep 991 & sleep 992", {
      signal: controller.signal,
      onStarted: () => void sleep(300).then(() => controller.abort(new Error("stopped"))),
    });
    expect(exit.status).toEqual({ case: "signal", value: "SIGKILL" });
    expect(performance.now() - startedAt).toBeLessThan(2300);
    expect((await bash(workspace, "pgrep -fc 'sleep 99[12]'")).stdout).toBe("0\n");
  });

  it("starts nothing for a call that is aborted", async () => {
    const reason = new Error("stopped");
    const ran = bash(await open(), "touch /workspace/begun", { signal: AbortSignal.abort(reason) });
    await expect(ran).rejects.toBe(reason);
    expect((await bash(await open(), "ls")).stdout).toBe("");
  });

  it("makes a workspace writable that belongs to root", async () => {
    const chown = {
      Image: SANDBOX_IMAGE,
      Cmd: ["chown", "0:0", "/workspace"],
      User: "0:0",
      Labels: { "handrail.instance": under.instance },
      HostConfig: { NetworkMode: "none", Binds: [`${containerName(key, under.instance)}:/workspace:nocopy`] },
    };
    await open();
    await container().remove({ force: true });
    const helper = await docker.createContainer(chown);
    await helper.start();
    await helper.wait();
    await helper.remove();
    expect((await bash(await open(), "touch file && echo written")).stdout).toBe("written\n");
  });

  it("replaces a container in which no agent can be started", async () => {
    await bash(await open(), "touch kept");
    const id = await containerId();
    const other = await managerOver(await under.again(), { bootMs: 3000 });
    await container().update({ PidsLimit: 3 });
    await bash(await open(), "kill -9 -1").catch(() => undefined);
    const workspace = await other.getOrCreate(key, { signal: never });
    expect((await bash(workspace, "ls")).stdout).toBe("kept\n");
    expect(workspace.generation).toBe(2);
    expect(await containerId()).not.toBe(id);
    await other.close();
  });

  it("never leaves a git command waiting for a person", async () => {
    const script = `
      set -e
      git init -q . && git config user.name a && git config user.email a@b
      for i in 1 2 3; do echo $i > f; git add f; git commit -qm "commit $i"; done
      git log --oneline | wc -l
      git commit -q --amend && git log -1 --format=%s
      git -c core.pager=less diff --stat HEAD~1 | tail -1
      GIT_ASKPASS= timeout 4 git ls-remote https://127.0.0.1:9/x.git 2>/dev/null || echo refused`;
    const { stdout } = await bash(await open(), script);
    expect(stdout).toBe("3\ncommit 3\n 1 file changed, 1 insertion(+), 1 deletion(-)\nrefused\n");
  });

  it("gives commands a fixed environment", async () => {
    const { stdout } = await bash(await open(), "env | cut -d= -f1 | sort | tr '\\n' ' '");
    expect(stdout).toBe(
      "DEBIAN_FRONTEND EDITOR GIT_ASKPASS GIT_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_TERMINAL_PROMPT HANDRAIL_RUN HOME " +
        "LC_CTYPE MANPAGER NPM_CONFIG_FUND NPM_CONFIG_UPDATE_NOTIFIER NPM_CONFIG_YES PAGER PATH PIP_NO_INPUT PWD " +
        "PYTHONUNBUFFERED SHELL SHLVL SSH_ASKPASS SYSTEMD_PAGER TERM USER VISUAL _ ",
    );
  });
});
