import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { JobRunner, type JobRunnerOptions } from "../../src/jobs/job-runner.js";

const program = {
  scriptPath: fileURLToPath(new URL("./unruly-job.ts", import.meta.url)),
  execArgv: ["--import", "tsx"],
};
const limits = { timeoutMs: 5000, memoryBytes: 400 * 1024 * 1024, heapMiB: 64 };
const never = new AbortController().signal;
const runners: JobRunner[] = [];

function makeRunner(options: Partial<JobRunnerOptions> = {}): JobRunner {
  const runner = new JobRunner({ program, limits, ...options });
  runners.push(runner);
  return runner;
}

function ask(runner: JobRunner, action: string, signal = never) {
  return runner.run({ header: action, body: Buffer.from(action) }, { signal });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.close()));
});

describe("JobRunner", () => {
  test("answers and uses the same process for the next request", async () => {
    const runner = makeRunner();
    const first = await ask(runner, "echo");
    const second = await ask(runner, "echo");
    expect(Buffer.from(first.body).toString()).toBe("echo");
    expect(second.header).toBe(first.header);
    expect(runner.processes).toBe(1);
  });

  test("passes 20 MB of any bytes both ways", async () => {
    const body = Buffer.alloc(20 * 1024 * 1024, "漢字");
    const answer = await makeRunner().run({ header: "echo", body }, { signal: never });
    expect(Buffer.compare(answer.body, body)).toBe(0);
  });

  test("keeps the environment of the service from the job", async () => {
    const { header } = await ask(makeRunner(), "environment");
    expect(header).toEqual(expect.not.arrayContaining(["PATH", "HOME"]));
  });

  test("stops an idle process after its time", async () => {
    const runner = makeRunner({ idleStopMs: 50 });
    const { header: pid } = await ask(runner, "echo");
    await expect.poll(() => isAlive(Number(pid)), { timeout: 3000 }).toBe(false);
    expect(runner.processes).toBe(0);
  });

  test("replaces a process that has served its number of requests", async () => {
    const runner = makeRunner({ maxRunsPerChild: 1 });
    const first = await ask(runner, "echo");
    expect((await ask(runner, "echo")).header).not.toBe(first.header);
  });

  test("lets two work at a time and the third wait", async () => {
    const runner = makeRunner();
    const all = ["sleep", "sleep", "echo"].map((action) => ask(runner, action));
    await Promise.race(all.slice(0, 2));
    expect(runner.processes).toBe(2);
    await Promise.all(all);
  });

  test("refuses when too many wait", async () => {
    const runner = makeRunner({ concurrency: 1, maxWaiting: 0 });
    const first = ask(runner, "echo");
    await expect(ask(runner, "echo")).rejects.toMatchObject({
      kind: "refused",
      message: "0 jobs wait already, the limit: try again later",
    });
    await first;
  });

  for (const [action, expected] of [
    ["refuse", { kind: "refused", message: "not this one" }],
    ["fail", { kind: "crash", message: "the job failed", detail: "a bug" }],
    ["abort", { kind: "crash", message: "the process of the job ended with SIGABRT" }],
    ["garbage", { kind: "crash", message: "the job gave a malformed answer" }],
    ["heap", { kind: "memory" }],
    [
      "buffers",
      {
        kind: "memory",
        message: expect.stringMatching(/^the job needed \d+ MiB, above the limit of 400 MiB$/) as string,
      },
    ],
  ] as const) {
    test(`tells that a job did "${action}", and answers the next request`, async () => {
      const runner = makeRunner();
      await expect(ask(runner, action)).rejects.toMatchObject({ name: "JobError", ...expected });
      expect((await ask(runner, "echo")).header).toEqual(expect.any(Number));
    });
  }

  test("keeps the last words of a process that crashed", async () => {
    await expect(ask(makeRunner(), "abort")).rejects.toMatchObject({
      detail: expect.stringContaining("last words") as string,
    });
  });

  test("ends a job that takes too long", async () => {
    const runner = makeRunner({ limits: { ...limits, timeoutMs: 1500 } });
    const start = performance.now();
    await expect(ask(runner, "hang")).rejects.toMatchObject({
      kind: "timeout",
      message: "the job took longer than the limit of 1500 ms",
    });
    expect(performance.now() - start).toBeLessThan(2500);
    expect(runner.processes).toBe(0);
  });

  test("tells when the process cannot be started", async () => {
    const runner = makeRunner({ program: { scriptPath: "/nowhere/job.js" } });
    await expect(ask(runner, "echo")).rejects.toMatchObject({
      kind: "crash",
      message: "the process of the job ended with code 1",
    });
  });

  test("kills the process of an aborted request and rejects with the reason", async () => {
    const runner = makeRunner();
    const { header: pid } = await ask(runner, "echo");
    const reason = new Error("caller left");
    const controller = new AbortController();
    const asked = ask(runner, "hang", controller.signal);
    setTimeout(() => controller.abort(reason), 50);
    await expect(asked).rejects.toBe(reason);
    expect(isAlive(Number(pid))).toBe(false);
  });

  test("lets an aborted request leave the queue", async () => {
    const runner = makeRunner({ concurrency: 1 });
    const first = ask(runner, "sleep");
    const reason = new Error("caller left");
    await expect(ask(runner, "echo", AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = ask(runner, "echo", controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await first;
    expect((await ask(runner, "echo")).header).toEqual(expect.any(Number));
  });

  test("ends requests under way when it is closed", async () => {
    const runner = makeRunner();
    const asked = expect(ask(runner, "sleep")).rejects.toMatchObject({
      message: "the service is shutting down",
    });
    await runner.close();
    await asked;
    await expect(ask(runner, "echo")).rejects.toMatchObject({ kind: "refused" });
    expect(runner.processes).toBe(0);
  });

  for (const end of ["leave", "close"]) {
    test(`lets a program that does "${end}" end by itself while a process is idle`, () => {
      const script = fileURLToPath(new URL("./short-program.ts", import.meta.url));
      const start = performance.now();
      const { status, stdout } = spawnSync(process.execPath, ["--import", "tsx", script, end], {
        timeout: 20_000,
      });
      expect({ status, said: stdout.toString() }).toEqual({ status: 0, said: `echo\n${end}\n` });
      expect(performance.now() - start).toBeLessThan(8000);
    });
  }
});
