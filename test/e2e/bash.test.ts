import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { Admitted, Clock, Outcome, Supervision } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

for (const kind of SANDBOX_KINDS) {
  describe(`bash on ${kind}`, () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService(kind);
    });
    afterAll(() => service.close());

    it("streams accepted, started, output and one result, in this order", async () => {
      const { events } = await service.bash("echo out; echo err >&2");
      const kinds = events.map(({ event }) => event.case).filter((name) => name !== "sandbox");
      expect(kinds[0]).toBe("accepted");
      expect(kinds[1]).toBe("started");
      expect(kinds.at(-1)).toBe("result");
      expect(kinds.filter((name) => name === "result")).toHaveLength(1);
    });

    it("numbers call events from 1 without holes and stream events with 0", async () => {
      const { events } = await service.bash("echo one");
      const seqs = events.map(({ seq }) => seq);
      expect(seqs).toEqual([0, ...seqs.slice(1).map((_, index) => index + 1)]);
    });

    it("keeps stdout and stderr apart in the live stream and together for the model", async () => {
      const { stdout, stderr, text } = await service.bash("echo out; echo err >&2");
      expect([stdout.toString(), stderr.toString()]).toEqual(["out\n", "err\n"]);
      expect(
        text
          .split("\n")
          .filter((line) => line !== "")
          .sort(),
      ).toEqual(["err", "out"]);
    });

    it("tells the exit code of a failure", async () => {
      const { result, text } = await service.bash("exit 7");
      expect(result.outcome).toBe(Outcome.TOOL_ERROR);
      expect(result.error?.code).toBe("bash.exit");
      expect(result.exit?.status).toEqual({ case: "code", value: 7 });
      expect(text).toContain("exit code 7");
    });

    it("tells the signal that killed the shell", async () => {
      const { result } = await service.bash("kill -9 $$");
      expect(result.exit?.status).toEqual({ case: "signal", value: "SIGKILL" });
      expect(result.outcome).toBe(Outcome.TOOL_ERROR);
    });

    it("keeps processes together in full", async () => {
      const { result } = await service.bash("true");
      expect(result.exit?.supervision).toBe(Supervision.FULL);
    });

    it("ends at the timeout with what was printed, which clock fired, and how many were killed", async () => {
      const { result, text, elapsedMs } = await service.bash("echo early; sleep 20", { timeout: 1000 });
      expect(result.outcome).toBe(Outcome.TIMED_OUT);
      expect(result.exit?.clock).toBe(Clock.RUN);
      expect(result.exit?.processesKilled).toBe(2);
      expect(text).toContain("early\n");
      expect(elapsedMs).toBeLessThan(3000);
    });

    it("ends before the caller's own deadline with the partial output", async () => {
      const { result, text } = await service.run(
        "bash",
        { command: "echo early; sleep 20" },
        { timeoutMs: 2000 },
      );
      expect(result.outcome).toBe(Outcome.TIMED_OUT);
      expect(text).toContain("early\n");
    });

    it("notes that a timeout below 1,000 is in milliseconds", async () => {
      const { result } = await service.bash("true", { timeout: 30 });
      expect(result.notices).toEqual(["timeout 30 is in milliseconds, not seconds"]);
    });

    it("starts in the workspace, and cwd moves it", async () => {
      await service.bash("mkdir -p sub/dir");
      expect((await service.bash("pwd")).text.trim()).toBe("/workspace");
      expect((await service.bash("pwd", { cwd: "sub/dir" })).text.trim()).toBe("/workspace/sub/dir");
    });

    it("says that a working directory is missing, and starts nothing", async () => {
      const { result } = await service.bash("touch /workspace/was-here", { cwd: "no/such" });
      expect(result.error?.code).toBe("bash.working_directory");
      expect(result.error?.admitted).toBe(Admitted.NO);
      expect((await service.bash("ls /workspace")).text).not.toContain("was-here");
    });

    it("has no standard input to wait on", async () => {
      expect((await service.bash("cat | wc -c")).text.trim()).toBe("0");
    });

    it("runs a command of 128 KiB and more", async () => {
      const { text } = await service.bash(`x='${"y".repeat(300_000)}'; echo \${#x}`);
      expect(text.trim()).toBe("300000");
    });

    it("cuts long output in the middle and counts what is left out exactly", async () => {
      const { result, text } = await service.bash("seq 1 100000");
      const total = Number(result.truncation?.originalBytes);
      const marker = /… \[truncated, (\d+) more bytes\]/.exec(text);
      expect(total).toBe(588_895);
      expect(Number(result.truncation?.keptBytes) + Number(marker?.[1])).toBe(total);
      expect(text.startsWith("1\n2\n")).toBe(true);
      const part = result.content[0]?.part;
      expect(part?.case === "text" && part.value.text.endsWith("99999\n100000\n")).toBe(true);
    });

    it("kills every process of a canceled call", async () => {
      const callId = `cancel-${kind}`;
      const running = service.run(
        "bash",
        { command: "setsid sleep 9999 & (sleep 9998 &) ; env -i setsid /bin/sleep 9997 & sleep 9996" },
        { request: { callId } },
      );
      await new Promise((resolve) => setTimeout(resolve, 700));
      const canceled = await service.tools.cancelCall({
        projectId: service.project,
        callId,
        reason: "enough",
      });
      expect(canceled.result?.abort?.reason).toBe("enough");
      expect((await running).result.outcome).toBe(Outcome.CANCELED);
      expect((await service.bash("pgrep -fc 'sleep 999[0-9]' || true")).text.trim()).toBe("0");
    });

    it("lets background children live on, counts them, and ends them on AbortProject", async () => {
      const { result } = await service.bash("sleep 7777 >/dev/null 2>&1 &");
      expect(result.exit?.processesLeft).toBe(1);
      expect((await service.bash("pgrep -fc 'sleep 777[7]' || true")).text.trim()).toBe("1");
      const aborted = await service.sessions.abortProject({ projectId: service.project });
      expect(aborted.processesKilled).toBeGreaterThanOrEqual(1);
      expect((await service.bash("pgrep -fc 'sleep 777[7]' || true")).text.trim()).toBe("0");
    });

    it("repeats a finished call under the same id and does not run it again", async () => {
      const request = { callId: `twice-${kind}` };
      await service.run("bash", { command: "echo x >> twice.txt" }, { request });
      const again = await service.run("bash", { command: "echo x >> twice.txt" }, { request });
      const [accepted] = again.events;
      expect(accepted?.event).toMatchObject({ case: "accepted", value: { admission: Admission.REPLAYED } });
      expect((await service.bash("wc -l < twice.txt")).text.trim()).toBe("1");
    });
  });
}
