import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, serviceForTest, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const QUOTA_MIB = 32;

/** Writes 4 MiB ten times a second, 400 MiB in all. */
const FLOOD = "for i in $(seq 100); do head -c 4194304 /dev/zero > f$i; sleep 0.1; done; echo whole";

for (const kind of SANDBOX_KINDS) {
  describe(`the quota of a project on ${kind}`, () => {
    let service: TestService;

    beforeAll(async () => {
      service = await startTestService(kind, { HANDRAIL_WORKSPACE_QUOTA_MIB: String(QUOTA_MIB) });
      await service.bash("true");
    });
    afterAll(() => service.close());
    beforeEach(async () => {
      await service.projects.resetWorkspace({ projectId: service.project });
    });

    it("ends a command that floods it, with what it printed, and says why", async () => {
      const { result, text, elapsedMs } = await service.bash(`echo begun; ${FLOOD}`);
      expect([result.outcome, result.error?.code]).toEqual([Outcome.TOOL_ERROR, "disk.quota_exceeded"]);
      expect(text).toContain("begun");
      expect(text).not.toContain("whole");
      expect(text).toMatch(/ended, because the project's files take \d+ MiB, and 32 MiB are allowed/);
      expect(elapsedMs).toBeLessThan(9000);
    });

    it("refuses a write beyond it, and lets files be read and removed", async () => {
      await service.bash("head -c 41943040 /dev/zero > big; sleep 1; echo small > small");
      const refused = await service.run("write", { path: "more", content: "x" });
      expect(refused.result.outcome).toBe(Outcome.TOOL_ERROR);
      expect(refused.text).toMatch(/40 MiB|4[1-9] MiB/);
      expect((await service.run("read", { path: "small" })).text).toContain("small");
      const tidied = await service.bash("sleep 1; mv big bigger; rm bigger; echo tidied");
      expect(tidied.stdout.toString()).toBe("tidied\n");
      expect((await service.run("write", { path: "more", content: "x" })).result.outcome).toBe(Outcome.OK);
      expect((await service.bash("ls")).stdout.toString()).toBe("more\nsmall\n");
    });

    it("counts a file with several names once", async () => {
      const { text } = await service.bash(
        "head -c 20971520 /dev/zero > one; for i in 1 2 3 4; do ln one name$i; done; sleep 1.5; echo fine",
      );
      expect(text).toContain("fine");
    });

    it("ends a flood in the background too", async () => {
      await service.bash(`(${FLOOD}) > /dev/null 2>&1 &`);
      await expect
        .poll(
          async () =>
            (await service.bash("pgrep -c -u $(id -u) head; ls | wc -l; sleep 0.5; ls | wc -l")).text,
          {
            timeout: 15_000,
            interval: 500,
          },
        )
        .toMatch(/^0\n(\d+)\n\1\n/);
      expect(Number((await service.bash("ls | wc -l")).stdout)).toBeLessThan(90);
    });
  });
}

describe("a disk that is nearly full", () => {
  it("is not filled further by a project", async () => {
    const service = await serviceForTest("bubblewrap", { HANDRAIL_DISK_RESERVE_MIB: "1073741824" });
    const { result, text } = await service.bash(FLOOD);
    expect(result.error?.code).toBe("disk.quota_exceeded");
    expect(text).toMatch(/the disk has \d+ MiB left, and 1073741824 MiB of it are kept free/);
    const written = await service.run("write", { path: "x", content: "x" });
    expect(written.result.outcome).toBe(Outcome.TOOL_ERROR);
  });
});
