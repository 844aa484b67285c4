import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Supervisor } from "../../../src/sandbox-agent/supervise/supervisor.js";
import { describeKill } from "./kill-contract.js";
import { childStates, runToExit, startRecorded, uniqueSeconds, waitForProcesses } from "./recorded-run.js";

/** A supervisor under test. */
export interface SupervisorUnderTest {
  readonly supervisor: Supervisor;
  readonly directory: string;
}

/** What every supervisor must do. `make` is called once for each part of the suite. */
export function describeSupervisor(
  name: string,
  { make, manyRuns }: { make: () => Promise<SupervisorUnderTest>; manyRuns: number },
): void {
  describe(name, () => {
    describeRun(make, { manyRuns });
    describeFlow(make);
    describeKill(make);
  });
}

function describeRun(make: () => Promise<SupervisorUnderTest>, { manyRuns }: { manyRuns: number }): void {
  describe("a run", () => {
    let supervisor: Supervisor;
    let directory: string;
    beforeAll(async () => ({ supervisor, directory } = await make()));
    afterAll(() => supervisor.close());

    for (const code of [0, 1, 7, 137, 255])
      it(`tells exit code ${code}`, async () => {
        expect(await runToExit(supervisor, `exit ${code}`)).toMatchObject({ code, processesLeft: 0 });
      });

    for (const signal of ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGHUP", "SIGPIPE"])
      it(`tells that ${signal} ended it`, async () => {
        const exit = await runToExit(supervisor, `kill -${signal} $$; sleep 5`);
        expect([exit.signal, exit.code]).toEqual([signal, undefined]);
      });

    it("keeps standard output and error apart", async () => {
      const exit = await runToExit(supervisor, "echo out; echo err >&2; echo out2");
      expect([exit.stdout, exit.stderr]).toEqual(["out\nout2\n", "err\n"]);
    });

    it("tells started, output and exit in this order", async () => {
      const { log, exit } = await startRecorded(supervisor, "echo x");
      await exit;
      expect(log).toEqual(["started", "stdout", "exit"]);
    });

    const scripts: [name: string, script: string, stdout: string][] = [
      ["a heredoc without a final newline", "cat <<'EOT'\nline one\nEOT", "line one\n"],
      ["a final backslash", "echo ok \\", "ok\n"],
      ["a final escaped ampersand", "printf foo\\&", "foo&"],
      ["a script of 128 KiB", `: '${"x".repeat(128 * 1024)}'\necho big`, "big\n"],
      ["an empty script", "", ""],
    ];
    for (const [what, script, stdout] of scripts)
      it(`runs ${what}`, async () => {
        expect(await runToExit(supervisor, script)).toMatchObject({ code: 0, stdout, stderr: "" });
      });

    it("removes the script when the shell has ended", async () => {
      const before = readdirSync(directory);
      await runToExit(supervisor, 'test -f "$0" && echo there');
      expect(readdirSync(directory)).toEqual(before);
    });

    it("hides the text of the script from the command line", async () => {
      const { stdout } = await runToExit(supervisor, "tr '\\0' ' ' < /proc/$$/cmdline # canary");
      expect(stdout).toMatch(/^bash \/\S+ $/);
    });

    it("has exactly the given environment and the marker", async () => {
      const input = { runId: "marked-1", argv: ["/usr/bin/env"], env: { A: "1", B: "x=y" } };
      const { stdout } = await runToExit(supervisor, input);
      expect(stdout.trim().split("\n").sort()).toEqual(["A=1", "B=x=y", "HANDRAIL_RUN=marked-1"]);
    });

    it("is a session of its own in the given directory with an empty standard input", async () => {
      const { stdout } = await runToExit(supervisor, {
        script: Buffer.from("ps -o sid= -p $$; echo $$; pwd; wc -c"),
        cwd: "/",
      });
      const [sid, pid, cwd, stdin] = stdout.trim().split("\n");
      expect([sid?.trim(), cwd, stdin]).toEqual([pid, "/", "0"]);
    });

    for (const cwd of ["/does/not/exist", "/etc/passwd"])
      it(`refuses the working directory ${cwd}`, async () => {
        const start = startRecorded(supervisor, { cwd });
        await expect(start).rejects.toMatchObject({ name: "StartError", failure: "working-directory" });
      });

    for (const program of ["no-such-program", "/etc/passwd", "/tmp"])
      it(`refuses the program ${program}`, async () => {
        const start = startRecorded(supervisor, { argv: [program] });
        await expect(start).rejects.toMatchObject({ name: "StartError", failure: "not-executable" });
      });

    it("refuses an argument that is too large", async () => {
      const start = startRecorded(supervisor, { argv: ["echo", "x".repeat(200_000)] });
      await expect(start).rejects.toMatchObject({ failure: "not-executable", message: /E2BIG/ });
    });

    it("refuses a NUL byte", async () => {
      await expect(startRecorded(supervisor, { argv: ["echo", "a\0b"] })).rejects.toThrow("argument 1");
    });

    it("keeps the message of a very fast failure, 200 times", async () => {
      for (let i = 0; i < 200; i++)
        expect(await runToExit(supervisor, `echo E${i} >&2; exit 1`)).toMatchObject({
          code: 1,
          stderr: `E${i}\n`,
        });
    }, 60_000);

    it(`leaves no zombie and no descriptor after ${manyRuns} runs`, async () => {
      const openFiles = (): number => readdirSync("/proc/self/fd").length;
      await runToExit(supervisor, "true");
      const before = openFiles();
      for (let i = 0; i < manyRuns / 10; i++)
        await Promise.all(Array.from({ length: 10 }, () => runToExit(supervisor, "(true &)")));
      await sleep(20);
      expect(childStates(process.pid).filter((state) => state === "Z")).toEqual([]);
      expect(openFiles()).toBeLessThanOrEqual(before + 2);
    }, 60_000);
  });
}

function describeFlow(make: () => Promise<SupervisorUnderTest>): void {
  describe("the flow of a run", () => {
    let supervisor: Supervisor;
    beforeAll(async () => ({ supervisor } = await make()));
    afterAll(() => supervisor.close());

    it("brings 3 MB of output whole", async () => {
      const { stdout } = await runToExit(supervisor, "seq 1 430000");
      expect(stdout).toBe(Array.from({ length: 430_000 }, (_, i) => `${i + 1}\n`).join(""));
    });

    it("brings the output of 20 runs at once whole", async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, i) => runToExit(supervisor, `seq ${i} 20000; echo e${i} >&2`)),
      );
      expect(all.map(({ stdout, stderr, code }) => [stdout.split("\n").length, stderr, code])).toEqual(
        all.map((_, i) => [20_002 - i, `e${i}\n`, 0]),
      );
    });

    for (const redirection of ["", ">/dev/null", "2>/dev/null"])
      it(`ends within 500 ms although a silent child ${redirection} holds a pipe`, async () => {
        const seconds = uniqueSeconds();
        const recorded = await startRecorded(supervisor, `sleep ${seconds} ${redirection} & echo A`);
        const startMs = performance.now();
        const exit = await recorded.exit;
        expect(performance.now() - startMs).toBeLessThan(500);
        expect([recorded.text("stdout"), exit.code, exit.processesLeft]).toEqual(["A\n", 0, 1]);
        expect(await recorded.run.kill({ graceMs: 0 })).toBe(1);
      });

    it("ends although a child goes on writing, and lets it live", async () => {
      const seconds = uniqueSeconds();
      const script = `(while :; do echo tick; sleep 0.02; : ${seconds}; done) & sleep 0.3; echo DONE`;
      const recorded = await startRecorded(supervisor, script);
      const exit = await recorded.exit;
      const heard = recorded.bytes("stdout");
      expect(recorded.text("stdout")).toContain("DONE\n");
      expect(exit.processesLeft).toBeGreaterThanOrEqual(1);
      await sleep(500);
      expect(recorded.bytes("stdout")).toBe(heard);
      expect(await recorded.run.kill({ graceMs: 0 })).toBeGreaterThanOrEqual(1);
      await recorded.run.ended;
    });

    it("says ended when the last background process ends by itself", async () => {
      const startMs = performance.now();
      const { run, exit } = await startRecorded(supervisor, "sleep 0.4 & exit 3");
      expect(await exit).toMatchObject({ code: 3, processesLeft: 1 });
      await run.ended;
      expect(performance.now() - startMs).toBeGreaterThan(390);
      expect(await run.kill({ graceMs: 0 })).toBe(0);
    });

    it("feeds 5 MB to standard input and ends it", async () => {
      const recorded = await startRecorded(supervisor, { script: Buffer.from("cat | wc -c"), stdin: "pipe" });
      for (let i = 0; i < 50; i++) await recorded.run.writeStdin(Buffer.alloc(100_000, i));
      recorded.run.endStdin();
      expect(await recorded.exit).toMatchObject({ code: 0 });
      expect(recorded.text("stdout").trim()).toBe("5000000");
    });

    it("lets a writer go on when the process does not read any more", async () => {
      const recorded = await startRecorded(supervisor, {
        script: Buffer.from("head -c 1 >/dev/null"),
        stdin: "pipe",
      });
      for (let i = 0; i < 30; i++) await recorded.run.writeStdin(Buffer.alloc(100_000));
      expect(await recorded.exit).toMatchObject({ code: 0 });
    });

    it("can be killed while it does not read its standard input", async () => {
      const recorded = await startRecorded(supervisor, { argv: ["sleep", uniqueSeconds()], stdin: "pipe" });
      const written = recorded.run.writeStdin(Buffer.alloc(3_000_000));
      await sleep(50);
      expect(await recorded.run.kill({ graceMs: 0 })).toBe(1);
      await written;
      expect(await recorded.exit).toMatchObject({ signal: "SIGKILL", processesKilled: 1 });
    });

    it("holds a paused run back with flat memory and then brings all", async () => {
      const bytes = 200_000_000;
      const recorded = await startRecorded(supervisor, `yes | head -c ${bytes}`, { keep: false });
      recorded.run.pause();
      await sleep(100);
      const [heard, rss] = [recorded.bytes("stdout"), process.memoryUsage.rss()];
      await sleep(300);
      expect(recorded.bytes("stdout")).toBe(heard);
      expect(process.memoryUsage.rss() - rss).toBeLessThan(16e6);
      expect(recorded.log).not.toContain("exit");
      recorded.run.resume();
      expect(await recorded.exit).toMatchObject({ code: 0 });
      expect(recorded.bytes("stdout")).toBe(bytes);
    }, 30_000);

    it("keeps the exit of a paused run back until its output was taken", async () => {
      const recorded = await startRecorded(supervisor, "echo kept");
      recorded.run.pause();
      await sleep(400);
      expect(recorded.log).toEqual(["started"]);
      recorded.run.resume();
      expect(await recorded.exit).toMatchObject({ code: 0 });
      expect(recorded.text("stdout")).toBe("kept\n");
    });

    it("can be killed while it is paused", async () => {
      const mark = uniqueSeconds();
      const recorded = await startRecorded(supervisor, `yes ${mark}`);
      recorded.run.pause();
      await waitForProcesses(`yes\0${mark}`, 1);
      expect(await recorded.run.kill({ graceMs: 0 })).toBe(2);
      await recorded.run.ended;
      await waitForProcesses(mark, 0);
      recorded.run.resume();
      expect(await recorded.exit).toMatchObject({ processesKilled: 2 });
    });
  });
}
