import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDockerProvider } from "../../src/sandbox/docker/provider.js";
import type { WorkspaceManager } from "../../src/workspace/workspace.js";
import { removeInstance, SANDBOX_IMAGE } from "../sandbox/docker/docker-under-test.js";
import { EngineProxy } from "../sandbox/docker/engine-proxy.js";
import { bash, managerOver, never, newKey } from "./workspace-under-test.js";

describe("the workspace manager over an engine that goes away", () => {
  const proxy = new EngineProxy();
  const key = newKey();
  const instance = key.tenant;
  let manager: WorkspaceManager;

  beforeAll(async () => {
    await proxy.mend();
    manager = await managerOver(
      createDockerProvider({ image: SANDBOX_IMAGE, instance, socketPath: proxy.socketPath }),
    );
  });

  afterAll(async () => {
    await manager.close();
    await proxy.remove();
    await removeInstance(instance);
  });

  it("names the loss, fails fast meanwhile, and recovers by itself", async () => {
    const workspace = await manager.getOrCreate(key, { signal: never });
    const ran = bash(workspace, "sleep 30", { onStarted: () => void proxy.cut() });
    await expect(ran).rejects.toMatchObject({ name: "SandboxLost", kind: "engine", begun: "yes" });

    const startedAt = performance.now();
    await expect(manager.getOrCreate(key, { signal: never })).rejects.toMatchObject({
      name: "SandboxError",
      failure: "engine-unreachable",
    });
    expect(performance.now() - startedAt).toBeLessThan(500);

    await proxy.mend();
    const again = await manager.getOrCreate(key, { signal: never });
    expect(again.generation).toBe(1);
    expect((await bash(again, "pgrep -fc '^sleep 30'; echo back")).stdout).toBe("0\nback\n");
  });
});
