import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { Clock, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { CallState } from "../../gen/handrail/v1/tool_service_pb.js";
import { inLanes } from "./in-lanes.js";
import { bodyOf, codeOf, onEachSandbox } from "./on-each-sandbox.js";

onEachSandbox("processes of bash", ({ bash, service }) => {
  it.concurrent("returns at once though a silent background child keeps a stream open (B001)", async () => {
    for (const [letter, command] of Object.entries({
      A: "sleep 15 & echo A",
      B: "sleep 15 >/dev/null & echo B",
      C: "sleep 15 2>/dev/null & echo C",
    })) {
      const ran = await bash(command, { timeout: 20_000 });
      expect(ran.elapsedMs).toBeLessThan(1500);
      expect([bodyOf(ran), codeOf(ran)]).toEqual([`${letter}\n`, 0]);
    }
  });

  it.concurrent(
    "returns though a background child never stops writing, and shows none of it later (B005)",
    async () => {
      const command =
        "(while :; do echo tick; sleep 0.1; done) & sleep 1; echo FOREGROUND_DONE; echo $! >b005.pid";
      const first = await bash(command, { timeout: 15_000 });
      expect(first.elapsedMs).toBeLessThan(2500);
      expect(bodyOf(first)).toContain("FOREGROUND_DONE\n");
      expect(bodyOf(first).match(/tick/g)?.length).toBeLessThan(20);
      expect(bodyOf(await bash("echo next"))).toBe("next\n");
      expect(codeOf(await bash("kill $(cat b005.pid)"))).toBe(0);
    },
  );

  it.concurrent("ends a child that left for a session of its own with the timeout (B007)", async () => {
    const command = 'setsid sh -c "sleep 4; echo late > /workspace/late.txt" & wait';
    const ran = await bash(command, { timeout: 2000 });
    expect(ran.result.outcome).toBe(Outcome.TIMED_OUT);
    expect(ran.elapsedMs).toBeGreaterThan(1900);
    expect(ran.elapsedMs).toBeLessThan(3000);
    await sleep(3000);
    expect(codeOf(await bash("test -e /workspace/late.txt"))).toBe(1);
  });

  it.concurrent("ends grandchildren and pipelines with the timeout (B011)", async () => {
    const command = "tail -f /dev/null & (exec -a grandkid_77 sleep 500) & wait";
    const ran = await bash(command, { timeout: 1500 });
    expect(ran.result.exit?.clock).toBe(Clock.RUN);
    expect(ran.elapsedMs).toBeLessThan(2500);
    expect(bodyOf(await bash('pgrep -fc "grandkid_7[7]"'))).toBe("0\n");
  });

  it.concurrent("keeps its own shell out of reach of a pattern for its command (B033)", async () => {
    await bash("nohup sleep 4321 >/dev/null 2>&1 &");
    const ran = await bash('pkill -f "sleep 4321"; echo STILL_HERE; pgrep -f "sleep 4321" | wc -l');
    expect([bodyOf(ran), codeOf(ran)]).toEqual(["STILL_HERE\n0\n", 0]);
  });

  it.concurrent("ends a process that ignores SIGTERM (B081)", async () => {
    const ran = await bash("trap '' TERM INT HUP; while :; do sleep 0.2; done", { timeout: 1000 });
    expect(ran.result.outcome).toBe(Outcome.TIMED_OUT);
    expect(ran.elapsedMs).toBeLessThan(3000);
    expect(bodyOf(await bash("echo usable"))).toBe("usable\n");
  });

  it.concurrent("shows late output of a background job in no other call (B093)", async () => {
    const first = await bash("(sleep 1; echo LATE_ONE) & echo now");
    const second = await bash("sleep 2; echo second");
    expect([bodyOf(first), bodyOf(second)]).toEqual(["now\n", "second\n"]);
  });

  it.concurrent("never takes death by a signal for success (B107)", async () => {
    const killed = await bash("kill -9 $$");
    expect(killed.result.outcome).toBe(Outcome.TOOL_ERROR);
    expect(killed.text).toContain("killed by SIGKILL");
    const child = await bash('sh -c "kill -SEGV \\$\\$"');
    expect(codeOf(child)).toBe(139);
    expect(child.text).toContain("Segmentation fault");
    const limited = await bash("(ulimit -t 1; while :; do :; done)");
    expect([137, 152]).toContain(codeOf(limited));
    expect(limited.text).toMatch(/Killed|CPU time limit exceeded/);
  });

  it.concurrent("ends the processes of a call whose stream was canceled (B003)", async () => {
    const callId = randomUUID();
    const leave = new AbortController();
    const running = service().run(
      "bash",
      { command: "sleep 4.25; touch /workspace/ghost" },
      { signal: leave.signal, request: { callId } },
    );
    const ended = expect(running).rejects.toMatchObject({ code: 1 });
    await sleep(1000);
    leave.abort();
    await ended;
    const left = await bash(
      'for i in $(seq 20); do pgrep -f "sleep 4.2[5]" || exit 0; sleep 0.1; done; exit 9',
    );
    expect(codeOf(left)).toBe(0);
    const { project: projectId, tools } = service();
    const { state, result } = await tools.getCall({ projectId, callId });
    expect([state, result?.outcome]).toEqual([CallState.ENDED, Outcome.CANCELED]);
    await sleep(3500);
    expect(codeOf(await bash("test -e /workspace/ghost"))).toBe(1);
  });

  it.concurrent(
    "stops a command in time for the caller's deadline, with no effect later (B061)",
    async () => {
      const ran = await service().run("bash", { command: "sleep 3; touch late1" }, { timeoutMs: 1000 });
      expect(ran.result.outcome).toBe(Outcome.TIMED_OUT);
      expect(ran.elapsedMs).toBeLessThan(1000);
      expect(ran.events[0]?.event).toMatchObject({ value: { admission: Admission.NEW } });
      await sleep(3000);
      expect(codeOf(await bash("test -e late1"))).toBe(1);
    },
  );

  it("loses no output of a command that fails at once (B115)", async () => {
    const failing = Array.from({ length: 200 }, (_, index) => async () => {
      const ran = await bash(`echo E${index} >&2; exit 1`);
      return [bodyOf(ran), codeOf(ran)].join();
    });
    expect(await inLanes(10, failing)).toEqual(failing.map((_, index) => `E${index}\n,1`));
    const waiting = Array.from({ length: 50 }, () => async () => bodyOf(await bash("echo FIRST; sleep 0.4")));
    expect(new Set(await inLanes(10, waiting))).toEqual(new Set(["FIRST\n"]));
  });

  it("outlives a command that kills whatever it can (B119)", async () => {
    const all = await bash("kill -9 -1; echo after");
    expect(all.elapsedMs).toBeLessThan(5000);
    expect([Outcome.TOOL_ERROR, Outcome.SANDBOX_LOST]).toContain(all.result.outcome);
    const alive = await bash("echo alive");
    expect(bodyOf(alive)).toBe("alive\n");
    const some = await bash("pkill -9 node; pkill -9 sleep; echo x");
    expect(some.stdout.toString()).toBe("x\n");
    expect(some.result.outcome).toBe(Outcome.OK);
  });
});
