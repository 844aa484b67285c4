import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { outcomeOf } from "../support/service.js";
import { bodyOf, codeOf, onEachSandbox } from "./on-each-sandbox.js";

const SIXTY_DAYS_S = 60 * 86_400;

onEachSandbox("the shell of bash", ({ bash, service }) => {
  it.concurrent("takes a command that ends in a heredoc without a line end (B019)", async () => {
    const written = await bash("cat > /workspace/h.txt <<'EOT'\nline one\nEOT");
    expect([written.text, codeOf(written)]).toEqual(["(no output)", 0]);
    expect(bodyOf(await bash("cat /workspace/h.txt; pwd"))).toBe("line one\n/workspace\n");
  });

  it.concurrent("lowers a timeout beyond every timer to the highest one and says so (B025)", async () => {
    for (const timeout of [3_000_000_000, Number.MAX_SAFE_INTEGER]) {
      const ran = await bash("sleep 0.5 && echo done", { timeout });
      expect(bodyOf(ran)).toBe("done\n");
      expect(ran.result.notices).toEqual([`timeout ${timeout} ms is above the limit; 600000 ms holds`]);
    }
  });

  it.concurrent("runs a command under a deadline of 60 days (B025)", async () => {
    const events: CallEvent[] = [];
    const stream = service().tools.executeTool(
      {
        context: { projectId: service().project },
        tool: "bash",
        input: { case: "argumentsJson", value: '{"command":"sleep 0.5 && echo done"}' },
        callId: randomUUID(),
      },
      { headers: { "grpc-timeout": `${SIXTY_DAYS_S}S` } },
    );
    for await (const { event } of stream) if (event !== undefined) events.push(event);
    expect(bodyOf(outcomeOf(events, 0))).toBe("done\n");
  });

  it.concurrent("refuses a timeout that is no time, before anything runs (B097)", async () => {
    for (const timeout of [0, -5, 0.5, "600"]) {
      const { result } = await bash("touch b097", { timeout });
      expect([result.error?.code, result.error?.admitted]).toEqual(["arguments.invalid", Admitted.NO]);
      expect(result.error?.message).toContain("timeout");
    }
    const nan = await service().run(
      "bash",
      {},
      {
        request: { input: { case: "argumentsJson", value: '{"command":"touch b097","timeout":NaN}' } },
      },
    );
    expect(nan.result.error?.code).toBe("arguments.malformed");
    expect(codeOf(await bash("test -e b097"))).toBe(1);
  });

  it.concurrent("takes a timeout below a second in milliseconds (B097)", async () => {
    const ran = await bash("echo hi; sleep 0.3; echo bye", { timeout: 2700 });
    expect(bodyOf(ran)).toBe("hi\nbye\n");
    const short = await bash("echo hi; sleep 0.3; echo bye", { timeout: 700 });
    expect([bodyOf(short), codeOf(short)]).toEqual(["hi\nbye\n", 0]);
  });

  it.concurrent("starts every part of a command in the working directory (B045)", async () => {
    const ran = await bash("pwd > /tmp/a1 & wait; pwd; cat /tmp/a1", { cwd: "/usr" });
    expect(bodyOf(ran)).toBe("/usr\n/usr\n");
  });

  it.concurrent("ends programs that want an editor, a pager, a password or a terminal (B057)", async () => {
    const commits =
      "for i in $(seq 200); do printf 'commit refs/heads/main\\ncommitter a <a@b> %s +0000\\ndata 3\\nc%02d\\nM 100644 inline f\\ndata 4\\n%03d\\n\\n' $i $((i % 100)) $i; done";
    const set = "git config user.email a@b; git config user.name a";
    await bash(
      `git init -q -b main repo && cd repo && ${set} && ${commits} | git fast-import --quiet && git reset -q --hard`,
    );
    const inRepo = async (command: string) => {
      const ran = await bash(command, { cwd: "repo", timeout: 15_000 });
      expect(ran.elapsedMs).toBeLessThan(5000);
      return ran;
    };
    const log = await inRepo("git log");
    expect(log.stdout.toString().match(/^commit /gm)).toHaveLength(200);
    expect((await inRepo("git commit --amend")).text).toContain("[main ");
    expect((await inRepo("git -c core.pager=less diff HEAD~5")).text).toContain("+200");
    expect(codeOf(await inRepo("GIT_ASKPASS= git ls-remote https://127.0.0.1:9/x.git"))).toBe(128);
    expect(codeOf(await inRepo("sudo -k true"))).not.toBe(0);
    expect(codeOf(await inRepo("read -r line < /dev/tty"))).not.toBe(0);
    expect((await inRepo("git rebase -i HEAD~2")).result.outcome).toBe(Outcome.OK);
  });

  it.concurrent("keeps shell options and exits to the call that made them (B071)", async () => {
    const codes: number[] = [];
    for (const command of ["set -euo pipefail; shopt -s nullglob", "false; echo after", "exit 7"]) {
      codes.push(codeOf(await bash(command)));
    }
    const left = await bash("sleep 30 & exit 3");
    expect(left.elapsedMs).toBeLessThan(1500);
    expect([...codes, codeOf(left)]).toEqual([0, 0, 7, 3]);
    expect(bodyOf(await bash("echo fine"))).toBe("fine\n");
    expect(bodyOf(await bash("false; echo after"))).toBe("after\n");
  });

  it.concurrent("takes a command that ends in an escaped &, a backslash or a bare & (B077)", async () => {
    const escaped = await bash("printf foo\\&");
    expect([bodyOf(escaped), codeOf(escaped)]).toEqual(["foo&", 0]);
    expect(bodyOf(await bash("echo ok \\"))).toBe("ok\n");
    const background = await bash("sleep 5 &");
    expect([background.elapsedMs < 1500, codeOf(background)]).toEqual([true, 0]);
  });

  it.concurrent(
    "tells the shell's error for what is not closed, and takes what only looks so (B101)",
    async () => {
      for (const command of ['echo "abc', "if true; then echo x"]) {
        const ran = await bash(command);
        expect([codeOf(ran), ran.elapsedMs < 1000]).toEqual([2, true]);
        expect(ran.text).toMatch(/unexpected (EOF|end of file)/);
      }
      const heredoc = await bash("cat <<EOT\nno end");
      expect(heredoc.stdout.toString()).toMatch(/^no end\n?$/);
      expect(heredoc.stderr.toString()).toContain("here-document");
      expect(bodyOf(await bash(`awk 'BEGIN{print "a'\\''b"}' <<< ''`))).toBe("a'b\n");
      expect(bodyOf(await bash("cat <<'EOT'; echo tail\nbody\nEOT"))).toBe("body\ntail\n");
    },
  );

  it.concurrent("is not hurt by a working directory that is gone or closed (B135)", async () => {
    const made = await bash("mkdir /workspace/d && cd /workspace/d && rmdir /workspace/d");
    const next = await bash("pwd");
    expect([codeOf(made), bodyOf(next)]).toEqual([0, "/workspace\n"]);
    for (const cwd of ["/workspace/d", "/nope", "/root"]) {
      const { result } = await bash("pwd", { cwd });
      expect([result.error?.code, result.error?.admitted]).toEqual(["bash.working_directory", Admitted.NO]);
      expect(result.error?.message).toMatch(/does not exist|permission denied|not permitted/i);
    }
    const generations = new Set(
      [made, next, await bash("true")].map(({ events }) => events.at(-1)?.generation),
    );
    expect(generations.size).toBe(1);
  });
});
