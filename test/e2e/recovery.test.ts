import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SandboxPhase } from "../../gen/handrail/v1/events_pb.js";
import { Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, serviceForTest } from "../support/service.js";
import type { Outcome as Ran, TestService } from "../support/service.js";

/** Time in which a service notices that the pipe to an agent has closed, in ms; a call before that may be lost with it. */
const NOTICED_MS = 400;

const recoveriesIn = ({ log }: TestService) =>
  log
    .filter(({ message }) => message === "sandbox_recovery_attempted")
    .map(({ level, fields }) => ({ level, attempt: fields["attempt"], generation: fields["generation"] }));

const attemptsIn = ({ events }: Ran): number[] =>
  events.flatMap(({ event }) => (event.case === "started" ? [event.value.attempt] : []));

for (const kind of SANDBOX_KINDS) {
  describe(`a sandbox that is gone on ${kind}`, () => {
    it("before a call is replaced after a wait, the call runs, and the log says so at warn", async () => {
      const service = await serviceForTest(kind);
      await service.bash("echo kept > kept");
      await service.removeSandbox();
      await sleep(NOTICED_MS);
      const { result, stdout, elapsedMs, events } = await service.bash("cat kept");
      expect([result.outcome, stdout.toString(), result.recovered]).toEqual([Outcome.OK, "kept\n", true]);
      expect(elapsedMs).toBeGreaterThan(1500);
      const phases = events.flatMap(({ event }) => (event.case === "sandbox" ? [event.value.phase] : []));
      expect(phases).toContain(SandboxPhase.RECOVERING);
      expect(events.at(-1)?.generation).toBe(2);
      expect(recoveriesIn(service)).toEqual([{ level: "warn", attempt: 1, generation: 1 }]);
      expect((await service.bash("true")).result.recovered).toBe(false);
    });

    it("under a call that has begun ends that call, which is not run again, and serves the next", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      const running = service.bash("echo run >> log; echo printed; sleep 20");
      await expect.poll(async () => (await service.bash("cat log")).stdout.toString()).toBe("run\n");
      await service.removeSandbox();
      const removedAt = performance.now();
      const { result, text, events } = await running;
      expect(performance.now() - removedAt).toBeLessThan(1400);
      expect(result).toMatchObject({
        outcome: Outcome.SANDBOX_LOST,
        error: { code: "sandbox.lost", admitted: Admitted.YES, retryable: false },
      });
      expect(text).toContain("printed");
      expect(attemptsIn({ events } as unknown as Ran)).toEqual([1]);
      expect((await service.bash("cat log")).stdout.toString()).toBe("run\n");
      expect(recoveriesIn(service)).toHaveLength(1);
    });

    it("runs a call that only reads once more, whose second attempt voids the first", async () => {
      const service = await serviceForTest(kind);
      await service.bash("yes 'a line of text' | head -c 300M > big; echo needle >> big");
      const searchAndLose = async () => {
        const searching = service.run("grep", { pattern: "ne+dle$", path: "big" });
        await sleep(30);
        await service.removeSandbox();
        return searching;
      };
      let ran = await searchAndLose();
      if (!ran.result.recovered) ran = await searchAndLose();
      expect([ran.result.outcome, ran.result.recovered]).toEqual([Outcome.OK, true]);
      expect(attemptsIn(ran)).toEqual([1, 2]);
    });

    it("is replaced once for all calls that find it gone, and counted once", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      await service.removeSandbox();
      await sleep(NOTICED_MS);
      const ran = await Promise.all([1, 2, 3, 4, 5].map((i) => service.bash(`echo ${i} >> many`)));
      expect(ran.map(({ result }) => result.outcome)).toEqual(Array(5).fill(Outcome.OK));
      expect((await service.bash("wc -l < many")).stdout.toString()).toBe("5\n");
      expect(recoveriesIn(service)).toHaveLength(1);
    });

    it("for the fourth time is not replaced: calls fail at once and say until when", async () => {
      const service = await serviceForTest(kind);
      await service.bash("echo kept > kept");
      for (let i = 0; i < 3; i += 1) {
        await service.removeSandbox();
        await sleep(NOTICED_MS);
        expect((await service.bash("true")).result.outcome).toBe(Outcome.OK);
      }
      await service.removeSandbox();
      await sleep(NOTICED_MS);
      for (let i = 0; i < 2; i += 1) {
        const { result, text, elapsedMs } = await service.bash("true");
        expect(result).toMatchObject({
          outcome: Outcome.SANDBOX_LOST,
          error: { code: "sandbox.recovery_exhausted", admitted: Admitted.NO },
        });
        expect(text).toMatch(/not replaced again before \d{4}-\d\d-\d\dT/);
        expect(elapsedMs).toBeLessThan(1000);
      }
      expect(recoveriesIn(service).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      await service.projects.restartSandbox({ projectId: service.project });
      expect((await service.bash("cat kept")).stdout.toString()).toBe("kept\n");
    });

    it("is no reason for recovery if only a tool's output says so, or a path is not found", async () => {
      const service = await serviceForTest(kind);
      const said = await service.bash('echo "No such container: 404" >&2; exit 1');
      expect(said.result.error?.code).toBe("bash.exit");
      await service.run("read", { path: "404/No such container" });
      expect(recoveriesIn(service)).toEqual([]);
    });

    it("leaves a call with too little time to the others' recovery", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      await service.removeSandbox();
      await sleep(NOTICED_MS);
      const patient = service.bash("echo patient");
      const hasty = await service.run("bash", { command: "true" }, { timeoutMs: 1200 });
      expect(hasty.result).toMatchObject({
        outcome: Outcome.SANDBOX_LOST,
        error: { retryable: true, admitted: Admitted.NO },
      });
      expect((await patient).stdout.toString()).toBe("patient\n");
      expect(recoveriesIn(service)).toHaveLength(1);
    });

    it("does not hold a call that is canceled while it waits", async () => {
      const service = await serviceForTest(kind);
      await service.bash("true");
      await service.removeSandbox();
      await sleep(NOTICED_MS);
      const callId = randomUUID();
      const running = service.run("bash", { command: "true" }, { request: { callId } });
      await sleep(400);
      const startedAt = performance.now();
      await service.tools.cancelCall({ projectId: service.project, callId });
      expect(performance.now() - startedAt).toBeLessThan(500);
      expect((await running).result.outcome).toBe(Outcome.CANCELED);
    });
  });
}
