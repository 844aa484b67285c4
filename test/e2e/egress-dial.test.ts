import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace, WorkspaceManager } from "../../src/workspace/workspace.js";
import { dockerProviderUnderTest } from "../sandbox/docker/docker-under-test.js";
import { localProviderUnderTest } from "../sandbox/local/local-provider-under-test.js";
import { SANDBOX_KINDS } from "../support/service.js";
import { bash, managerOver, never, newKey } from "../workspace/workspace-under-test.js";

for (const kind of SANDBOX_KINDS) {
  describe(`a port of a sandbox, from the service (${kind})`, () => {
    let manager: WorkspaceManager;
    let workspace: Workspace;
    let cleanUp: () => Promise<void>;

    beforeAll(async () => {
      const tested = await (kind === "docker"
        ? dockerProviderUnderTest()
        : localProviderUnderTest("bubblewrap"));
      cleanUp = async () => tested.cleanUp();
      manager = await managerOver(tested.provider);
      workspace = await manager.getOrCreate(newKey(), { signal: never });
    });
    afterAll(async () => {
      await manager.close();
      await cleanUp();
    });

    it("is reached although the sandbox has no network", async () => {
      await bash(
        workspace,
        "echo hello > page; python3 -m http.server 8080 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 1",
      );
      const stream = await workspace.dial(8080, never);
      stream.end("GET /page HTTP/1.0\r\n\r\n");
      expect(await text(stream)).toMatch(/ 200 OK\r\n[^]*hello\n$/);
    });

    it("is told to be closed where nothing listens", async () => {
      await expect(workspace.dial(8081, never)).rejects.toMatchObject({
        name: "PortClosed",
        message: "nothing in the sandbox listens on port 8081",
      });
    });
  });
}
