import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { removeContainers, serviceForTest } from "../support/service.js";
import { hostServer, rawProbe } from "./egress-fixture.js";

describe("a named network of the engine", () => {
  it("reaches the host's bridge until the operator sets egress again", async () => {
    const instance = `test-${randomUUID().slice(0, 8)}`;
    onTestFinished(() => removeContainers(instance));
    const { port } = await hostServer("172.17.0.1");
    const context = { projectId: "kept" };
    const seenBy = async (network: string): Promise<string> => {
      const service = await serviceForTest("docker", {
        HANDRAIL_INSTANCE: instance,
        HANDRAIL_SANDBOX_NETWORK: network,
      });
      const command = `${rawProbe("172.17.0.1", port)}; ls /sys/class/net | grep -cv '^lo$'; echo x >> kept; wc -l < kept`;
      const { stdout } = await service.run("bash", { command }, { request: { context } });
      await service.close();
      return stdout.toString();
    };
    expect(await seenBy("bridge")).toBe("open\n1\n1\n");
    expect(await seenBy("egress")).toBe("closed\n0\n2\n");
  });
});
