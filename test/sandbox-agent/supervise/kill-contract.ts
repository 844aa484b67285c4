import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Supervisor } from "../../../src/sandbox-agent/supervise/supervisor.js";
import { processesWith, startRecorded, uniqueSeconds, waitForProcesses } from "./recorded-run.js";

/** Processes of a run that any supervisor must find: the script and how many of them have the seconds as argument. */
const TREES: [name: string, script: (seconds: string) => string, count: number][] = [
  ["a child", (s) => `sleep ${s} & wait`, 1],
  ["a setsid child", (s) => `setsid sleep ${s} & wait`, 1],
  ["a double fork", (s) => `(setsid sh -c "sleep ${s} & sleep ${s}" &) ; sleep ${s}`, 3],
  ["a pipeline", (s) => `sleep ${s} | sleep ${s} | sleep ${s}`, 3],
  ["a job of its own group", (s) => `set -m; sleep ${s} & wait`, 1],
];

/** How a supervisor ends the processes of a run. */
export function describeKill(make: () => Promise<{ supervisor: Supervisor }>): void {
  describe("a kill", () => {
    let supervisor: Supervisor;
    beforeAll(async () => ({ supervisor } = await make()));
    afterAll(() => supervisor.close());

    for (const [name, script, count] of TREES)
      it(`ends ${name}`, async () => {
        const seconds = uniqueSeconds();
        const { run, exit } = await startRecorded(supervisor, script(seconds));
        await waitForProcesses(`sleep\0${seconds}`, count);
        await run.kill({ graceMs: 0 });
        expect(processesWith(seconds)).toEqual([]);
        expect(await exit).toMatchObject({ signal: "SIGKILL", processesLeft: 0 });
        await run.ended;
      });

    it("counts each process once", async () => {
      const seconds = uniqueSeconds();
      const { run, exit } = await startRecorded(
        supervisor,
        `for i in 1 2 3 4 5; do sleep ${seconds} & done; wait`,
      );
      await waitForProcesses(`sleep\0${seconds}`, 5);
      expect(await run.kill({ graceMs: 0 })).toBe(6);
      expect((await exit).processesKilled).toBe(6);
    });

    it("lets a process end by itself within the grace", async () => {
      const seconds = uniqueSeconds();
      const script = `trap 'echo bye; exit 5' TERM; sleep ${seconds} & echo ready; wait`;
      const recorded = await startRecorded(supervisor, script);
      await waitForProcesses(`sleep\0${seconds}`, 1);
      await sleep(20);
      const startMs = performance.now();
      expect(await recorded.run.kill({ graceMs: 5_000 })).toBe(2);
      expect(performance.now() - startMs).toBeLessThan(1_000);
      expect(await recorded.exit).toMatchObject({ code: 5 });
      expect(recorded.text("stdout")).toBe("ready\nbye\n");
    });

    it("ends a process that ignores SIGTERM after the grace", async () => {
      const seconds = uniqueSeconds();
      const { run, exit } = await startRecorded(
        supervisor,
        `trap '' TERM; sleep ${seconds}; sleep ${seconds}`,
      );
      await waitForProcesses(`sleep\0${seconds}`, 1);
      const startMs = performance.now();
      await run.kill({ graceMs: 200 });
      expect(performance.now() - startMs).toBeGreaterThan(190);
      expect(performance.now() - startMs).toBeLessThan(700);
      expect(processesWith(seconds)).toEqual([]);
      expect(await exit).toMatchObject({ signal: "SIGKILL" });
    });

    it("can be hurried during the grace of an earlier one", async () => {
      const seconds = uniqueSeconds();
      const { run } = await startRecorded(supervisor, `trap '' TERM; sleep ${seconds}`);
      await waitForProcesses(`sleep\0${seconds}`, 1);
      const startMs = performance.now();
      const slow = run.kill({ graceMs: 30_000 });
      await sleep(20);
      await run.kill({ graceMs: 0 });
      await slow;
      expect(performance.now() - startMs).toBeLessThan(1_000);
      expect(processesWith(seconds)).toEqual([]);
    });

    it("ends the stopped process too", async () => {
      const seconds = uniqueSeconds();
      const { run } = await startRecorded(supervisor, `sleep ${seconds} & sleep 0.1; kill -STOP $!; wait`);
      await waitForProcesses(`sleep\0${seconds}`, 1);
      await sleep(150);
      await run.kill({ graceMs: 100 });
      expect(processesWith(seconds)).toEqual([]);
    });

    it("does nothing to a run that has ended", async () => {
      const { run, exit } = await startRecorded(supervisor, "true");
      await exit;
      await run.ended;
      expect(await run.kill({ graceMs: 0 })).toBe(0);
    });

    it("does nothing to other runs", async () => {
      const [mine, other] = [uniqueSeconds(), uniqueSeconds()];
      const run = await startRecorded(supervisor, `sleep ${mine}`);
      const bystander = await startRecorded(supervisor, `sleep ${other}`);
      await waitForProcesses(`sleep\0${mine}`, 1);
      await waitForProcesses(`sleep\0${other}`, 1);
      await run.run.kill({ graceMs: 0 });
      expect(processesWith(`sleep\0${other}`)).toHaveLength(1);
      await bystander.run.kill({ graceMs: 0 });
    });
  });

  describe("close", () => {
    it("leaves nothing of any run, background processes included", async () => {
      const { supervisor } = await make();
      const seconds = uniqueSeconds();
      const background = await startRecorded(supervisor, `setsid sleep ${seconds} & exit 0`);
      await background.exit;
      const runs = await Promise.all(
        [1, 2, 3].map(() => startRecorded(supervisor, `sleep ${seconds}; exit`)),
      );
      await waitForProcesses(`sleep\0${seconds}`, 4);
      await supervisor.close();
      expect(processesWith(seconds)).toEqual([]);
      for (const { exit } of runs)
        expect(await exit).toMatchObject({ signal: "SIGKILL", processesKilled: 2 });
      await expect(startRecorded(supervisor, "true")).rejects.toMatchObject({ failure: "internal" });
    });
  });
}
