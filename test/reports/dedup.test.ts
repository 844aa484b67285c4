import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Dedup } from "../../gen/handrail/v1/tool_service_pb.js";
import { onEachSandbox } from "./on-each-sandbox.js";
import type { Bench } from "./on-each-sandbox.js";

/** Runs calls of one turn, one after the other. */
function turnOn({ service }: Bench) {
  const context = { sessionId: `s-${randomUUID()}`, turnId: `t-${randomUUID()}` };
  return (tool: string, args: Record<string, unknown>, request: { dedup?: Dedup } = {}) =>
    service().run(tool, args, { request: { context, ...request } });
}

onEachSandbox("equal calls of a turn", (bench) => {
  it("run once, and each repetition says that it was not run again (B017)", async () => {
    const call = turnOn(bench);
    const first = await call("bash", { command: "echo x >> c.txt; date +%N" });
    for (let i = 0; i < 2; i += 1) {
      const again = await call("bash", { command: "echo x >> c.txt; date +%N" });
      expect(again.result.deduplicated).toBe(true);
      expect(again.text).toContain("not run again");
      expect(again.stdout.toString()).toBe("");
      expect(again.result.content[0]).toEqual(first.result.content[0]);
    }
    expect((await call("bash", { command: "wc -l < c.txt" })).stdout.toString()).toBe("1\n");
  });

  it("run each time where the request says so (B017)", async () => {
    const call = turnOn(bench);
    for (let i = 0; i < 3; i += 1) await call("bash", { command: "echo x >> d.txt" }, { dedup: Dedup.OFF });
    expect((await call("bash", { command: "wc -l < d.txt" })).stdout.toString()).toBe("3\n");
  });

  it("never get what was true before a change, or the end that a clock made (B075)", async () => {
    const call = turnOn(bench);
    expect((await call("read", { path: "missing.txt" })).result.error?.code).toBe("read.not_found");
    await call("bash", { command: "echo v > missing.txt" });
    expect((await call("read", { path: "missing.txt" })).text).toContain("v");
    const slow = { command: "sleep 1; echo k", timeout: 300 };
    const stopped = await call("bash", slow);
    expect(stopped.result.exit?.clock).toBe(1);
    const again = await call("bash", slow);
    expect(again.result.deduplicated).toBe(false);
    expect(again.elapsedMs).toBeGreaterThan(250);
  });

  it("read a file anew after a command that left its size and its time of change as they were", async () => {
    const call = turnOn(bench);
    await call("bash", { command: "echo one > same.txt; touch -d @1700000000 same.txt" });
    expect((await call("read", { path: "same.txt" })).text).toContain("one");
    expect((await call("read", { path: "same.txt" })).result.deduplicated).toBe(true);
    await call("bash", { command: "echo two > same.txt; touch -d @1700000000 same.txt" });
    expect((await call("read", { path: "same.txt" })).text).toContain("two");
  });

  it("read a file anew while a process in the background goes on writing it, and after it ended", async () => {
    const call = turnOn(bench);
    const writer = "for i in 1 2 3 4 5 6; do echo $i > bg.txt; sleep 0.4; done";
    await call("bash", { command: `echo 0 > bg.txt; (${writer}) > /dev/null 2>&1 &` });
    const first = await call("read", { path: "bg.txt" });
    await expect
      .poll(async () => (await call("read", { path: "bg.txt" })).text, { timeout: 10_000, interval: 300 })
      .not.toBe(first.text);
    await expect
      .poll(async () => (await call("read", { path: "bg.txt" })).text, { timeout: 10_000, interval: 300 })
      .toContain("6");
  });

  it("of another session get nothing of a session's, and see what it wrote", async () => {
    const mine = turnOn(bench);
    const theirs = turnOn(bench);
    await mine("bash", { command: "echo a > s.txt" });
    expect((await mine("read", { path: "s.txt" })).text).toContain("a");
    await theirs("bash", { command: "echo b > s.txt" });
    expect((await mine("read", { path: "s.txt" })).text).toContain("b");
  });

  it("read what an upload or a reset has changed", async () => {
    const call = turnOn(bench);
    await call("bash", { command: "echo before > u.txt" });
    expect((await call("read", { path: "u.txt" })).text).toContain("before");
    await bench.service().projects.resetWorkspace({ projectId: bench.service().project });
    const context = { sessionId: "after", turnId: randomUUID() };
    const read = await bench.service().run("read", { path: "u.txt" }, { request: { context } });
    expect(read.result.error?.code).toBe("read.not_found");
  });
});
