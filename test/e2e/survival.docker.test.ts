import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { startTestService } from "../support/service.js";
import type { Outcome as Ran, TestService } from "../support/service.js";

/** Allocates and touches 1 GiB, which is twice what a sandbox of these tests has. */
const GREEDY = `python3 -c 'x = [b"x" * 2**20 + bytes([i % 256]) for i in range(1024)]'`;

describe("a docker sandbox", () => {
  let service: TestService;
  let containerId: string;
  beforeAll(async () => {
    service = await startTestService("docker");
    await service.bash("true");
    containerId = (await service.container()).id;
  });
  afterAll(() => service.close());

  /** The next call, which has to work, soon, and in the same container. */
  const alive = async (): Promise<Ran> => {
    const ran = await service.bash("echo alive; touch kept");
    expect([ran.result.outcome, ran.stdout.toString()]).toEqual([Outcome.OK, "alive\n"]);
    expect(ran.elapsedMs).toBeLessThan(5000);
    expect((await service.container()).id).toBe(containerId);
    return ran;
  };

  it("works with a full /tmp, and the command that filled it hears of it", async () => {
    const { text, result } = await service.bash("head -c 1G /dev/zero > /tmp/full; echo rc=$?");
    expect(result.outcome).toBe(Outcome.OK);
    expect(text).toContain("No space left on device");
    expect(text).toContain("rc=1\n");
    await alive();
    expect((await service.bash("wc -c <<EOT\n$(seq 20000)\nEOT\nrm /tmp/full")).result.exit?.oom).toBe(false);
  });

  it("lives on when a command kills whatever it can, agent and launcher too", async () => {
    const { result, elapsedMs } = await service.bash("sleep 300 & kill -9 -1; echo after");
    expect(elapsedMs).toBeLessThan(5000);
    expect([Outcome.TOOL_ERROR, Outcome.SANDBOX_LOST]).toContain(result.outcome);
    expect(result.error?.retryable).toBe(false);
    const next = await alive();
    if (result.outcome === Outcome.SANDBOX_LOST) expect(next.text).toContain("agent process");
    expect((await service.bash("pgrep -fc 'sleep 30[0]'")).stdout.toString()).toBe("0\n");
  });

  for (const name of ["sleep", "node"]) {
    it(`is not hurt by pkill -9 ${name}`, async () => {
      const { result, stdout } = await service.bash(`pkill -9 ${name}; echo done`);
      expect([result.outcome, stdout.toString()]).toEqual([Outcome.OK, "done\n"]);
      expect((await alive()).result.notices).toEqual([]);
    });
  }

  it("ends a fork bomb with the time of its call", async () => {
    const { result, elapsedMs } = await service.bash(":(){ :|:& };:; sleep 60", { timeout: 2000 });
    expect(result.outcome).toBe(Outcome.TIMED_OUT);
    expect(result.exit?.processesKilled).toBeGreaterThan(10);
    expect(elapsedMs).toBeLessThan(7000);
    await alive();
  });

  it("makes room for the next call when a fork bomb was left in the background", async () => {
    // A bash that gets no child tries again for 15 s by itself.
    const bomb = await service.bash(":(){ :|:& };:");
    expect(bomb.elapsedMs).toBeLessThan(25_000);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await alive();
    await service.sessions.abortProject({ projectId: service.project });
    expect((await service.bash("pgrep -c bash")).stdout.toString()).toBe("1\n");
  });

  it("tells that a command ran out of memory", async () => {
    const { result, text } = await service.bash(GREEDY);
    expect(result.outcome).toBe(Outcome.TOOL_ERROR);
    expect(result.error?.code).toBe("bash.out_of_memory");
    expect(result.exit).toMatchObject({ oom: true, status: { case: "code", value: 137 } });
    expect(text).toContain("ran out of memory");
    await alive();
  });

  it("tells that a background child ran out of memory, and that the command itself succeeded", async () => {
    const { result, stdout } = await service.bash(
      `${GREEDY} & child=$!; wait $child; echo "child $?"; exit 0`,
    );
    expect([result.outcome, stdout.toString()]).toEqual([Outcome.OK, "child 137\n"]);
    expect(result.exit).toMatchObject({ oom: true, status: { case: "code", value: 0 } });
    await alive();
  });

  it("outlives a child that runs out of memory after its call", async () => {
    const { result } = await service.bash(`(sleep 0.5; ${GREEDY}) >/dev/null 2>&1 &`);
    expect([result.outcome, result.exit?.oom]).toEqual([Outcome.OK, false]);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const next = await alive();
    expect(next.result.exit?.oom).toBe(false);
    expect((await service.bash("pgrep -c python3")).stdout.toString()).toBe("0\n");
  });
});
