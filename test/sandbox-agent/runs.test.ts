import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentService, ErrorKind } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "./test-agent.js";
import type { BuiltAgent } from "./test-agent.js";

let parts: BuiltAgent;
let agent: TestAgent;

beforeAll(async () => {
  parts = await buildParts();
  agent = TestAgent.boot({ parts });
});
afterAll(() => agent.stop());

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "it did not fail",
    (error: unknown) => error,
  );
}

describe("Run", () => {
  it("tells started, the output of both streams, and the exit", async () => {
    const run = await agent.run("echo out; sleep 0.1; echo err >&2; exit 3").done();
    expect(run.events).toEqual(["started", "stdout", "stderr", "exit"]);
    expect([run.stdout, run.stderr]).toEqual(["out\n", "err\n"]);
    expect(run.exit).toMatchObject({
      status: { case: "code", value: 3 },
      oom: false,
      processesKilled: 0,
      processesLeft: 0,
      fullSupervision: true,
    });
  });

  it("names the signal that killed the process", async () => {
    const run = await agent.run("kill -SEGV $$").done();
    expect(run.exit?.status).toEqual({ case: "signal", value: "SIGSEGV" });
  });

  it("joins small output and keeps every byte in frames of at most 64 KiB", async () => {
    const sizes: number[] = [];
    const run = agent.run("for i in $(seq 500); do echo line $i; done; head -c 3000000 /dev/zero", {
      onResponse: ({ event }) => {
        if (event.case === "stdout") sizes.push(event.value.length);
      },
    });
    await run.done();
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3_000_000 + 500 * 6 + 9 + 180 + 401 * 3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65536);
    expect(sizes.length).toBeLessThan(400);
  });

  it("starts in the workspace with the base environment, HOME, and the request's variables", async () => {
    const run = await agent
      .run("pwd; echo $HOME; echo $A-$LANG; env | grep -c ^OLDPWD=", { env: { A: "1", LANG: "C" } })
      .done();
    expect(run.stdout).toBe(`${agent.root}\n${agent.config.homeDir}\n1-C\n0\n`);
  });

  it("hands over no variable of the agent's own process", async () => {
    const run = await agent.run("cut -d= -f1 <(env -0 | tr '\\0' '\\n') | sort | tr '\\n' ' '").done();
    expect(run.stdout).toBe("HANDRAIL_RUN HOME LANG PATH PWD SHLVL _ ");
  });

  it("starts in a directory relative to the workspace, absolute, or below an alias", async () => {
    mkdirSync(join(agent.root, "sub"), { recursive: true });
    for (const cwd of ["sub", join(agent.root, "sub"), "/workspace/sub"])
      expect((await agent.run("pwd", { cwd }).done()).stdout).toBe(`${agent.root}/sub\n`);
  });

  it("feeds standard input and ends it", async () => {
    const run = agent.run("cat | md5sum; echo done", { stdin: true });
    for (let piece = 0; piece < 100; piece += 1)
      await run.stream.send({ message: { case: "stdin", value: new Uint8Array(65536) } });
    run.stream.end();
    await run.done();
    const md5 = createHash("md5").update(Buffer.alloc(6_553_600)).digest("hex");
    expect(run.stdout).toBe(`${md5}  -\ndone\n`);
  });

  it("gives an empty standard input where none is streamed", async () => {
    expect((await agent.run("cat | wc -c").done()).stdout.trim()).toBe("0");
  });

  it("ends although the process never reads the input that is sent", async () => {
    const run = agent.run("exit 4", { stdin: true });
    const sending = run.stream.send({ message: { case: "stdin", value: new Uint8Array(3_000_000) } });
    await run.done();
    await sending;
    expect(run.exit?.status).toEqual({ case: "code", value: 4 });
  });

  const refused: [name: string, options: object, kind: ErrorKind, message: RegExp][] = [
    ["a missing directory", { cwd: "nope" }, ErrorKind.WORKING_DIRECTORY, /nope does not exist/],
    ["a file as directory", { cwd: "/etc/passwd" }, ErrorKind.WORKING_DIRECTORY, /passwd is not a directory/],
    ["a missing program", { argv: ["/no/such"] }, ErrorKind.INVALID, /\/no\/such.*does not exist/],
    ["no program", { argv: [] }, ErrorKind.INVALID, /argv is empty/],
    ["an empty id", { runId: "" }, ErrorKind.INVALID, /run_id is empty/],
  ];
  for (const [name, options, kind, message] of refused)
    it(`refuses ${name}`, async () => {
      const run = agent.run("true", options);
      expect(await failure(run.done())).toMatchObject({
        name: "AgentFailure",
        detail: { kind, message: expect.stringMatching(message) as string },
      });
      expect(run.events).toEqual([]);
    });

  it("refuses an id that was used before", async () => {
    const { runId } = await agent.run("true").done();
    const error = await failure(agent.run("true", { runId }).done());
    expect(error).toMatchObject({ detail: { kind: ErrorKind.INVALID } });
  });

  it("kills the whole tree when the caller resets the stream", async () => {
    const abort = new AbortController();
    const run = agent.run(`setsid sleep 7701 & (sleep 7702 &) ; touch ${agent.root}/up; sleep 7703`, {
      signal: abort.signal,
    });
    await run.started;
    while (!existsSync(join(agent.root, "up"))) await sleep(5);
    abort.abort(new Error("stop"));
    expect(await failure(run.done())).toMatchObject({ message: "stop" });
    await sleep(300);
    expect((await agent.run("pgrep -fc 'sleep 770[123]' || true").done()).stdout).toBe("0\n");
  });

  it("holds a process back while its reader is busy, and no other call", async () => {
    let bytes = 0;
    const gate = { open: (): void => undefined };
    const opened = new Promise<void>((resolve) => (gate.open = resolve));
    const run = agent.run("head -c 50000000 /dev/zero; touch written", {
      onResponse: ({ event }) => {
        if (event.case !== "stdout") return undefined;
        bytes += event.value.length;
        return opened;
      },
    });
    await run.started;
    await sleep(300);
    expect(existsSync(join(agent.root, "written"))).toBe(false);
    const before = performance.now();
    await agent.run("true").done();
    expect(performance.now() - before).toBeLessThan(500);
    gate.open();
    await run.done();
    expect(bytes).toBe(50_000_000);
  });
});

describe("KillRun and KillAll", () => {
  it("ends a run and counts its processes", async () => {
    const run = agent.run("sleep 7801 & sleep 7802");
    await run.started;
    await sleep(100);
    const { processesKilled } = await agent.call(AgentService.method.killRun, { runId: run.runId });
    await run.done();
    expect(processesKilled).toBe(3);
    expect(run.exit).toMatchObject({ status: { case: "signal", value: "SIGKILL" }, processesKilled: 3 });
  });

  it("lets a process end by itself within the grace", async () => {
    const run = agent.run("trap 'echo bye; exit 5' TERM; sleep 7803 & wait");
    await run.started;
    await sleep(100);
    await agent.call(AgentService.method.killRun, { runId: run.runId, graceMs: 3000 });
    await run.done();
    expect([run.stdout, run.exit?.status]).toEqual(["bye\n", { case: "code", value: 5 }]);
  });

  it("answers 0 for a run that has ended and NO_RUN for one that never was", async () => {
    const { runId } = await agent.run("true").done();
    await sleep(50);
    expect(await agent.call(AgentService.method.killRun, { runId })).toMatchObject({ processesKilled: 0 });
    const error = await failure(agent.call(AgentService.method.killRun, { runId: "never" }));
    expect(error).toMatchObject({ detail: { kind: ErrorKind.NO_RUN } });
  });

  it("ends what runs have left behind, all or only of the named ones", async () => {
    const first = await agent.run("sleep 7804 >/dev/null 2>&1 &").done();
    await agent.run("setsid sleep 7805 >/dev/null 2>&1 &").done();
    expect(first.exit?.processesLeft).toBe(1);
    const named = await agent.call(AgentService.method.killAll, { runIds: [first.runId] });
    expect(named.processesKilled).toBe(1);
    expect((await agent.call(AgentService.method.killAll, {})).processesKilled).toBe(1);
    expect((await agent.run("pgrep -fc 'sleep 780[45]' || true").done()).stdout).toBe("0\n");
  });
});

describe("an agent", () => {
  it("says what it found", async () => {
    const hello = await agent.call(AgentService.method.hello, {});
    expect(hello).toMatchObject({
      buildId: parts.buildId,
      nodeVersion: process.version,
      fullSupervision: true,
      reducedReason: "",
      workspaceRoot: agent.root,
      workspaceWritable: true,
      sweptProcesses: 0,
      pid: agent.process.pid,
    });
  });

  it("works with reduced supervision where it has no launcher", async () => {
    const reduced = TestAgent.boot({ parts, withLauncher: false });
    const hello = await reduced.call(AgentService.method.hello, {});
    const run = await reduced.run("echo hi").done();
    await reduced.stop();
    expect(hello.reducedReason).toMatch(/no launcher/);
    expect([run.stdout, run.exit?.fullSupervision]).toEqual(["hi\n", false]);
  });

  it("ends with its pipe, and its runs with it", async () => {
    const other = TestAgent.boot({ parts });
    const run = other.run("sleep 7901 & setsid sleep 7902 & sleep 7903");
    const ended = failure(run.done());
    await run.started;
    await sleep(100);
    await other.stop();
    expect(await ended).toMatchObject({ name: "ChannelLost" });
    expect(other.process.exitCode).toBe(0);
    expect((await agent.run("pgrep -fc 'sleep 790[123]' || true").done()).stdout).toBe("0\n");
  });

  it("survives the signals that a command can send to all processes of its user, SIGKILL excepted", async () => {
    const { pid } = await agent.call(AgentService.method.hello, {});
    for (const signal of ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"])
      await agent.run(`kill -${signal} ${pid}; sleep 0.02`).done();
    expect((await agent.run("echo alive").done()).stdout).toBe("alive\n");
  });

  it("is not found by the name of node", async () => {
    const { pid } = await agent.call(AgentService.method.hello, {});
    const run = await agent.run(`cat /proc/${pid}/comm; tr '\\0' ' ' < /proc/${pid}/cmdline`).done();
    expect(run.stdout).toMatch(/^handrail-agent\nhandrail-agent *$/);
  });

  it("makes no file in the workspace", async () => {
    const other = TestAgent.boot({ parts });
    symlinkSync("/etc", join(other.root, "only"));
    const run = await other.run("ls -A").done();
    await other.stop();
    expect(run.stdout).toBe("only\n");
  });
});
