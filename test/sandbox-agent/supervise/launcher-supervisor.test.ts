import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildLauncher } from "../../../scripts/build-launcher.mjs";
import { LauncherSupervisor } from "../../../src/sandbox-agent/supervise/launcher-supervisor.js";
import {
  childStates,
  processesWith,
  runToExit,
  startRecorded,
  uniqueSeconds,
  waitForProcesses,
} from "./recorded-run.js";
import { describeSupervisor } from "./supervisor-contract.js";

const root = mkdtempSync(join(tmpdir(), "handrail-launcher-"));
let made = 0;

function launcherBinary(): Buffer {
  const built = buildLauncher({ outDir: join(root, "build") });
  if ("reason" in built) throw new Error(`this test needs a C compiler: ${built.reason}`);
  return readFileSync(built.path);
}

function makeDirectory(): string {
  const directory = join(root, `d${++made}`);
  mkdirSync(directory);
  return directory;
}

async function make(): Promise<{ supervisor: LauncherSupervisor; directory: string }> {
  const directory = makeDirectory();
  return { supervisor: await LauncherSupervisor.boot({ directory, binary: launcherBinary() }), directory };
}

afterAll(() => rmSync(root, { recursive: true, force: true }));

describeSupervisor("the launcher's supervisor", { make, manyRuns: 1_000 });

describe("full supervision", () => {
  let supervisor: LauncherSupervisor;
  let directory: string;
  beforeAll(async () => ({ supervisor, directory } = await make()));
  afterAll(() => supervisor.close());

  it("gives pipes that can be opened again by name", async () => {
    const exit = await runToExit(supervisor, "echo x > /dev/stderr; echo y | tee /dev/stderr");
    expect([exit.stdout, exit.stderr, exit.code]).toEqual(["y\n", "x\ny\n", 0]);
  });

  const escapes: [name: string, script: (seconds: string) => string][] = [
    ["env -i setsid", (s) => `env -i setsid sleep ${s} & wait`],
    ["an orphan of env -i setsid", (s) => `(env -i setsid /bin/sh -c "/bin/sleep ${s} & exit" &) ; sleep 60`],
    ["a double fork of env -i", (s) => `env -i /bin/bash -c "(setsid /bin/sleep ${s} &)" ; exec sleep 60`],
  ];
  for (const [name, script] of escapes)
    it(`ends ${name}`, async () => {
      const seconds = uniqueSeconds();
      const { run } = await startRecorded(supervisor, script(seconds));
      await waitForProcesses(`sleep\0${seconds}`, 1);
      const startMs = performance.now();
      await run.kill({ graceMs: 0 });
      expect(performance.now() - startMs).toBeLessThan(250);
      expect(processesWith(seconds)).toEqual([]);
    });

  it("ends a fork bomb, and the next run works", async () => {
    const bomb = "b(){ b | b & }; b; sleep 60";
    const argv = [
      "prlimit",
      "--nproc=150:150",
      "setpriv",
      "--reuid=54321",
      "--clear-groups",
      "bash",
      "-c",
      bomb,
    ];
    const { run } = await startRecorded(supervisor, { argv }, { keep: false });
    await sleep(500);
    expect(await run.kill({ graceMs: 0 })).toBeGreaterThan(20);
    await run.ended;
    expect(processesWith(bomb)).toEqual([]);
    expect(await runToExit(supervisor, "echo next")).toMatchObject({ stdout: "next\n", code: 0 });
  }, 20_000);

  it("lets a command be killed by the kernel before the agent", async () => {
    expect((await runToExit(supervisor, "cat /proc/self/oom_score_adj")).stdout).toBe("500\n");
  });

  it("leaves no signal blocked or ignored", async () => {
    const { stdout } = await runToExit(supervisor, {
      argv: ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"],
    });
    expect(stdout).toBe("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  });

  it("hands over no descriptor but the three", async () => {
    const { stdout } = await runToExit(supervisor, { argv: ["ls", "/proc/self/fd"] });
    expect(stdout.trim().split("\n")).toEqual(["0", "1", "2", "3"]);
  });

  it("uses no processor time for a silent background process", async () => {
    const ticks = (pid: number): number =>
      readFileSync(`/proc/${pid}/stat`, "latin1")
        .replace(/^.*\) /, "")
        .split(" ")
        .slice(11, 13)
        .reduce((sum, value) => sum + Number(value), 0);
    const { run, exit } = await startRecorded(supervisor, `sleep ${uniqueSeconds()} & echo $PPID`);
    await exit;
    const supervisors = processesWith(join(directory, "launcher"));
    const before = supervisors.reduce((sum, pid) => sum + ticks(pid), 0);
    await sleep(500);
    expect(supervisors.reduce((sum, pid) => sum + ticks(pid), 0) - before).toBeLessThanOrEqual(1);
    await run.kill({ graceMs: 0 });
  });

  it("leaves only two spare supervisors, the one of the next run and no descriptor in the launcher after 300 runs", async () => {
    const openFiles = (): number => readdirSync(`/proc/${supervisor.launcherPid}/fd`).length;
    const before = openFiles();
    for (let i = 0; i < 30; i++)
      await Promise.all(Array.from({ length: 10 }, () => runToExit(supervisor, "(true &)")));
    await sleep(50);
    expect(childStates(supervisor.launcherPid)).toEqual(["S", "S", "S"]);
    expect(openFiles()).toBe(before);
  }, 30_000);
});

describe("a launcher at the limit of its processes", () => {
  /** A launcher of a user of its own who may have `processes` processes, and how to wait for its processes. */
  async function makeLimited(
    processes: number,
  ): Promise<{ supervisor: LauncherSupervisor; settle: (count: number) => Promise<void> }> {
    const directory = makeDirectory();
    const uid = 54_400 + processes;
    chmodSync(root, 0o755);
    chownSync(directory, uid, uid);
    launcherBinary();
    const limited = `prlimit --nproc=${processes}:${processes} setpriv --reuid=${uid} --clear-groups`;
    const binary = Buffer.from(`#!/bin/sh\nPATH=/usr/bin:/bin exec ${limited} ${root}/build/launcher "$1"\n`);
    const supervisor = await LauncherSupervisor.boot({ directory, binary });
    onTestFinished(() => supervisor.close());
    return { supervisor, settle: (count) => waitForProcesses(`launcher\0${directory}\0`, count) };
  }

  const limits: [name: string, processes: number][] = [
    ["no supervisor", 1],
    ["no process", 3],
  ];
  for (const [name, processes] of limits)
    it(`says so if ${name} can be made, each time`, async () => {
      const { supervisor, settle } = await makeLimited(processes);
      for (let i = 0; i < 10; i++) {
        await settle(processes);
        await expect(startRecorded(supervisor, { argv: ["true"] })).rejects.toMatchObject({
          failure: "resources",
        });
      }
    });

  it("starts again once there is room", async () => {
    const { supervisor, settle } = await makeLimited(5);
    const first = await startRecorded(supervisor, { argv: ["sleep", uniqueSeconds()] });
    await settle(4);
    await expect(startRecorded(supervisor, { argv: ["true"] })).rejects.toMatchObject({
      failure: "resources",
    });
    await first.run.kill({ graceMs: 0 });
    await settle(4);
    expect((await runToExit(supervisor, { argv: ["true"] })).code).toBe(0);
  });
});

describe("a launcher that dies", () => {
  async function makeOwn(): Promise<LauncherSupervisor> {
    const { supervisor } = await make();
    onTestFinished(() => supervisor.close());
    return supervisor;
  }

  it("ends its runs with an unknown exit, and the next start works", async () => {
    const supervisor = await makeOwn();
    const seconds = uniqueSeconds();
    const { run, exit } = await startRecorded(
      supervisor,
      `(env -i setsid sleep ${seconds} &); setsid sleep ${seconds}`,
    );
    await waitForProcesses(`sleep\0${seconds}`, 2);
    process.kill(supervisor.launcherPid, "SIGKILL");
    const unknown = await exit;
    expect([unknown.code, unknown.signal, unknown.processesLeft]).toEqual([undefined, undefined, 0]);
    await run.ended;
    expect(processesWith(seconds)).toEqual([]);
    expect(await runToExit(supervisor, "echo again")).toMatchObject({ stdout: "again\n", code: 0 });
  });

  it("is replaced once for many starts at the same moment", async () => {
    const { supervisor, directory } = await make();
    onTestFinished(() => supervisor.close());
    process.kill(supervisor.launcherPid, "SIGKILL");
    await waitForProcesses(`${join(directory, "launcher")}\0`, 0);
    const exits = await Promise.all(Array.from({ length: 20 }, (_, i) => runToExit(supervisor, `echo ${i}`)));
    expect(exits.map(({ stdout }) => stdout)).toEqual(exits.map((_, i) => `${i}\n`));
  });

  it("is replaced when its socket was removed", async () => {
    const { supervisor, directory } = await make();
    onTestFinished(() => supervisor.close());
    rmSync(join(directory, "launch.sock"));
    expect(await runToExit(supervisor, "echo again")).toMatchObject({ stdout: "again\n" });
  });

  it("leaves no process when a command kills its own supervisor", async () => {
    const supervisor = await makeOwn();
    const seconds = uniqueSeconds();
    const script = `(env -i setsid sleep ${seconds} &); sleep 0.1; kill -9 $PPID; sleep ${seconds}`;
    const { run, exit } = await startRecorded(supervisor, script);
    expect(await exit).toMatchObject({ processesLeft: 0 });
    await run.ended;
    await waitForProcesses(seconds, 0);
  });

  it("is replaced when it does not answer any more", async () => {
    const options = { directory: makeDirectory(), binary: launcherBinary(), startTimeoutMs: 300 };
    const supervisor = await LauncherSupervisor.boot(options);
    onTestFinished(() => supervisor.close());
    process.kill(supervisor.launcherPid, "SIGSTOP");
    let answered = 0;
    const useUpSpares = async (): Promise<void> => {
      for (; answered < 5; answered += 1) await runToExit(supervisor, "true");
    };
    await expect(useUpSpares()).rejects.toThrow("did not answer");
    expect(answered).toBeGreaterThanOrEqual(2);
    expect(await runToExit(supervisor, "echo again")).toMatchObject({ stdout: "again\n" });
  });

  it("answers a kill although a command has stopped its supervisor", async () => {
    const supervisor = await makeOwn();
    const seconds = uniqueSeconds();
    const { run, exit } = await startRecorded(supervisor, `kill -STOP $PPID; sleep ${seconds}`);
    await waitForProcesses(`sleep\0${seconds}`, 1);
    const startMs = performance.now();
    await run.kill({ graceMs: 0 });
    expect(performance.now() - startMs).toBeLessThan(500);
    expect(await exit).toMatchObject({ signal: "SIGKILL", processesKilled: 2, processesLeft: 0 });
    expect(processesWith(seconds)).toEqual([]);
  });

  it("leaves nothing although a command has stopped it and its supervisor", async () => {
    const supervisor = await makeOwn();
    const seconds = uniqueSeconds();
    const script = `sleep 0.1; kill -STOP ${supervisor.launcherPid} $PPID; sleep ${seconds}`;
    const { run, exit } = await startRecorded(supervisor, script);
    await waitForProcesses(`sleep\0${seconds}`, 1);
    const startMs = performance.now();
    await run.kill({ graceMs: 0 });
    expect(performance.now() - startMs).toBeLessThan(2_000);
    expect(await exit).toMatchObject({ processesLeft: 0 });
    await waitForProcesses(seconds, 0);
    process.kill(supervisor.launcherPid, "SIGCONT");
  });
});
