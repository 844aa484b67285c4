import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { startTestService } from "../support/service.js";
import type { Outcome as Ran, TestService } from "../support/service.js";

describe("a bubblewrap sandbox", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService("bubblewrap");
    await service.bash("touch kept");
  });
  afterAll(() => service.close());

  /** The next call, which has to work, soon, and with the files of the project. */
  const alive = async (): Promise<Ran> => {
    const ran = await service.bash("echo alive; ls kept");
    expect([ran.result.outcome, ran.stdout.toString()]).toEqual([Outcome.OK, "alive\nkept\n"]);
    expect(ran.elapsedMs).toBeLessThan(5000);
    return ran;
  };

  it("works with a full /tmp, and the command that filled it hears of it", async () => {
    const { text, result } = await service.bash("head -c 3G /dev/zero > /tmp/full; echo rc=$?");
    expect(result.outcome).toBe(Outcome.OK);
    expect(text).toContain("No space left on device");
    expect(text).toContain("rc=1\n");
    await alive();
    await service.bash("rm /tmp/full");
  });

  it("is made again when a command kills whatever it can", async () => {
    const { result, elapsedMs } = await service.bash("sleep 300 & kill -9 -1; echo after");
    expect(elapsedMs).toBeLessThan(5000);
    expect([Outcome.TOOL_ERROR, Outcome.SANDBOX_LOST]).toContain(result.outcome);
    expect(result.error?.retryable).toBe(false);
    const next = await alive();
    if (result.outcome === Outcome.SANDBOX_LOST) expect(next.result.notices).toHaveLength(1);
    expect((await service.bash("pgrep -c sleep")).stdout.toString()).toBe("0\n");
  });

  for (const name of ["sleep", "node"]) {
    it(`is not hurt by pkill -9 ${name}`, async () => {
      const { result, stdout } = await service.bash(`pkill -9 ${name}; echo done`);
      expect([result.outcome, stdout.toString()]).toEqual([Outcome.OK, "done\n"]);
      expect((await alive()).result.notices).toEqual([]);
    });
  }
});
