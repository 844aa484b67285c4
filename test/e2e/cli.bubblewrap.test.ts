import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const program = fileURLToPath(new URL("../../dist/handrail.js", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe("the command line", () => {
  let service: TestService;
  let folder: string;

  beforeAll(async () => {
    service = await startTestService("bubblewrap");
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "handrail-cli-"));
    return () => rm(folder, { recursive: true, force: true });
  });

  function handrail(args: readonly string[], { input = "", url = service.url } = {}): Promise<Ended> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [program, ...args],
        {
          cwd: folder,
          maxBuffer: 2 ** 24,
          env: { PATH: process.env["PATH"], HANDRAIL_URL: url, HANDRAIL_PROJECT: service.project },
        },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  }

  it("lists the tools of a mode as a table, as JSON and as definitions of each format", async () => {
    const build = await handrail(["tools"]);
    expect(build.stdout).toMatch(/^bash +execute +Run a command/m);
    expect(build.stdout).not.toContain("list_files");
    const plan = await handrail(["tools", "--mode", "plan"]);
    expect(plan.stdout).toMatch(/^list_files +read/m);
    expect(plan.stdout).not.toMatch(/^bash/m);
    const asJson = JSON.parse((await handrail(["tools", "--json"])).stdout) as { etag: string };
    expect(asJson.etag).not.toBe("");
    for (const format of ["json-schema", "openai", "openai-strict", "anthropic", "gemini", "mcp"]) {
      const { stdout, code } = await handrail(["tools", "--format", format]);
      expect([format, code, (JSON.parse(stdout) as unknown[]).length > 3]).toEqual([format, 0, true]);
    }
    expect((await handrail(["tools", "--mode", "plan", "--all"])).stdout).toMatch(
      /^bash +- +not available: /m,
    );
  });

  it("takes arguments as JSON, from a file, from standard input and one by one", async () => {
    await writeFile(join(folder, "arguments.json"), '{"command":"echo from a file"}');
    expect((await handrail(["call", "bash", '{"command":"echo inline"}'])).stdout).toBe("inline\n");
    expect((await handrail(["call", "bash", "@arguments.json"])).stdout).toBe("from a file\n");
    expect((await handrail(["call", "bash", "-"], { input: '{"command":"echo piped"}' })).stdout).toBe(
      "piped\n",
    );
    const typed = await handrail(["call", "bash", "--arg", "command=echo a=b", "--arg", "timeout=5000"]);
    expect(typed).toMatchObject({ stdout: "a=b\n", code: 0 });
    const both = await handrail(["call", "write", '{"path":"x"}', "--arg", "content=1"]);
    expect(both.stdout).toContain("Created");
  });

  it("says in its exit code what became of the call", async () => {
    const codes = async (...args: string[]) => (await handrail(args)).code;
    expect(await codes("call", "bash", '{"command":"true"}')).toBe(0);
    expect(await codes("call", "bash", '{"command":"exit 7"}')).toBe(1);
    expect(await codes("call", "bash", '{"command":"sleep 9","timeout":1000}')).toBe(4);
    expect(await codes("call", "bash", '{"command":"true"}', "--mode", "plan")).toBe(3);
    expect(await codes("call", "bash", "--arg", "command")).toBe(2);
    expect(await codes("call", "bash", "@missing.json")).toBe(1);
    expect(await codes("call")).toBe(2);
    expect(await codes("cal")).toBe(2);
    expect(await codes("call", "bash", "--jsn")).toBe(2);
    expect(await codes("--version")).toBe(0);
    expect(await codes("project", "show", "absent")).toBe(5);
  });

  it("says what is wrong without a stack", async () => {
    const wrong = [
      await handrail(["tools"], { url: "http://127.0.0.1:1" }),
      await handrail(["tools"], { url: "not a url" }),
      await handrail(["call", "bash", "--arg", "command=true", "--arg", "timeout=soon"]),
      await handrail(["call", "bash", "{]"]),
      await handrail(["files", "push", "missing"]),
      await handrail(["files", "pull", "missing", "out"]),
      await handrail(["project", "show", "no spaces please"]),
      await handrail(["files", "pull", ".", "/dev/null/x"]),
      await handrail(["files", "pull", ".", "/proc/none/x"]),
    ];
    for (const { code, stdout, stderr } of wrong) {
      expect(code).toBeGreaterThan(0);
      expect(stdout + stderr).not.toMatch(/^ +at |node_modules/m);
      expect((stdout + stderr).trim().split("\n").length).toBeLessThan(4);
    }
    expect(wrong[0]?.stderr).toContain("no service answers at http://127.0.0.1:1");
    expect((await handrail(["cal"])).stderr).toContain("Did you mean call?");
  });

  it("prints events as lines of JSON, the result last", async () => {
    const { stdout } = await handrail(["call", "bash", '{"command":"echo x"}', "--events"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => Object.keys(JSON.parse(line) as object));
    expect(events[0]).toContain("accepted");
    expect(events.at(-1)).toContain("result");
    const { outcome } = JSON.parse(
      (await handrail(["call", "bash", '{"command":"true"}', "--json"])).stdout,
    ) as {
      outcome: string;
    };
    expect(outcome).toBe("OUTCOME_OK");
  });

  it("replays the result of a call id", async () => {
    const args = ["call", "bash", '{"command":"date +%N"}', "--call-id", "once", "--turn", "t1"];
    expect((await handrail(args)).stdout).toBe((await handrail(args)).stdout);
  });

  it("cancels the call at an interrupt and prints what there was", async () => {
    const child = spawn(process.execPath, [program, "call", "bash", '{"command":"echo begun; sleep 60"}'], {
      env: { PATH: process.env["PATH"], HANDRAIL_URL: service.url, HANDRAIL_PROJECT: service.project },
    });
    let stdout = "";
    child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    const { projects, project } = service;
    const running = async () => (await projects.getProject({ projectId: project })).project?.callsRunning;
    await expect.poll(running, { timeout: 5000 }).toBe(1);
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect([code, stdout.includes("begun")]).toEqual([130, true]);
    expect(await running()).toBe(0);
  });

  it("sends a directory and fetches it again, and leaves no half", async () => {
    await mkdir(join(folder, "code/deep"), { recursive: true });
    await mkdir(join(folder, "code/node_modules"));
    await writeFile(join(folder, "code/deep/a.bin"), Buffer.alloc(2_500_000, "a1b2"));
    await writeFile(join(folder, "code/node_modules/x"), "x");
    const pushed = await handrail(["files", "push", "code", "app", "--exclude", "node_modules", "--json"]);
    expect(JSON.parse(pushed.stdout)).toMatchObject({ entries: 2 });
    await handrail(["files", "pull", "app", "back"]);
    expect(await readdir(join(folder, "back"))).toEqual(["deep"]);
    const back = await readFile(join(folder, "back/deep/a.bin"));
    expect(back.equals(Buffer.alloc(2_500_000, "a1b2"))).toBe(true);
    expect((await handrail(["files", "pull", "app", "app.tar.gz"])).code).toBe(0);
    expect(existsSync(join(folder, "app.tar.gz"))).toBe(true);
    await handrail(["files", "pull", "missing", "nothing"]);
    await handrail(["files", "pull", "missing", "nothing.tar"]);
    expect((await readdir(folder)).sort()).toEqual(["app.tar.gz", "back", "code"]);
    await writeFile(join(folder, "code/deep/new"), "");
    await handrail(["files", "push", "code/deep", "app", "--replace"]);
    expect((await service.bash("ls app")).stdout.toString()).toBe("a.bin\nnew\n");
  });

  it("makes, shows, restarts, empties and deletes projects", async () => {
    expect((await handrail(["project", "create", "other"])).stdout).toContain("other: made, sandbox running");
    expect((await handrail(["project", "restart", "other"])).stdout).toContain("generation 2");
    expect((await handrail(["project", "reset", "other"])).stdout).toContain("emptied, 0 entries removed");
    const shown = JSON.parse((await handrail(["project", "show", "other", "--json"])).stdout) as object;
    expect(shown).toMatchObject({ projectId: "other", sandbox: "SANDBOX_STATE_RUNNING" });
    expect((await handrail(["project", "delete", "other"])).code).toBe(0);
    expect((await handrail(["project", "show", "other"])).code).toBe(5);
  });

  it("ends quietly when nobody reads on", async () => {
    const command = `"${process.execPath}" "${program}" tools --format mcp | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", command], {
      env: { PATH: process.env["PATH"], HANDRAIL_URL: service.url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout.on("data", (data: Buffer) => (text += data.toString()));
    child.stderr.on("data", (data: Buffer) => (text += data.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    expect(text).toMatch(/^\[\n0\n$/);
  });

  it("says what the machine has and what it lacks", async () => {
    const well = await handrail(["doctor", "--url", service.url]);
    expect(well.stdout).toMatch(/^ok +node +\d/m);
    expect(well.stdout).toContain(`a service answers at ${service.url}`);
    const { findings } = JSON.parse((await handrail(["doctor", "--json"])).stdout) as {
      findings: { subject: string; state: string }[];
    };
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([
        "node",
        "launcher",
        "settings",
        "data directory",
        "port",
        "docker",
        "bubblewrap",
      ]),
    );
    const ill = await handrail(["doctor", "--url", "http://127.0.0.1:1"]);
    expect([ill.code, ill.stdout]).toEqual([1, expect.stringContaining("start one with: npm start")]);
  });

  it("completes commands, their commands and options in bash", async () => {
    const { stdout } = await handrail(["completion", "bash"]);
    const complete = (...words: string[]): Promise<string> =>
      new Promise((resolve) => {
        const line = words.map((word) => `"${word}"`).join(" ");
        const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _handrail; echo "\${COMPREPLY[@]}"`;
        execFile("bash", ["-c", script], (_error, out) => resolve(out.trim()));
      });
    expect(await complete("handrail", "")).toContain("serve tools call files project doctor completion");
    expect(await complete("handrail", "files", "pu")).toBe("push pull");
    expect(await complete("handrail", "files", "push", "--re")).toBe("--replace");
    expect(await complete("handrail", "call", "--js")).toBe("--json");
    for (const shell of ["zsh", "fish"])
      expect((await handrail(["completion", shell])).stdout).toContain("doctor");
  });
});
