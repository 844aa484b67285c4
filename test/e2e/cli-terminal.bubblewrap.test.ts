import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { serviceForTest } from "../support/service.js";

const execute = promisify(execFile);
const program = fileURLToPath(new URL("../../dist/handrail.js", import.meta.url));

/** Runs the program on a terminal of its own, types Ctrl-C after a while if told to, and prints all it showed. */
const ON_TERMINAL = `
import os, pty, select, sys, time
interrupt_at = float(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
started, shown = time.time(), b""
while True:
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if interrupt_at and time.time() - started > interrupt_at:
        os.write(terminal, b"\\x03"); interrupt_at = 0
    if not ready: continue
    try: data = os.read(terminal, 65536)
    except OSError: break
    if not data: break
    shown += data
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown + b"\\nexit %d" % os.waitstatus_to_exitcode(status))
`;

describe("the command line on a terminal", () => {
  async function onTerminal(interruptAtS: number, url: string, ...args: string[]): Promise<string> {
    const { stdout } = await execute(
      "python3",
      ["-c", ON_TERMINAL, String(interruptAtS), process.execPath, program, ...args, "--url", url],
      { env: { PATH: process.env["PATH"], TERM: "xterm" } },
    );
    return stdout;
  }

  it("shows what it waits for, then output as it comes, and leaves no trace of the first", async () => {
    const { url } = await serviceForTest("bubblewrap");
    const shown = await onTerminal(
      0,
      url,
      "call",
      "bash",
      '{"command":"sleep 1; echo first; sleep 0.2; echo last"}',
    );
    expect(shown).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .* \d\.\d s/);
    expect(shown.indexOf("first")).toBeGreaterThan(shown.indexOf(" s"));
    expect(shown).toMatch(/exit 0$/);
  });

  it("cancels the call at Ctrl-C", async () => {
    const { url } = await serviceForTest("bubblewrap");
    const startedAt = performance.now();
    const shown = await onTerminal(2, url, "call", "bash", '{"command":"echo begun; sleep 60"}');
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(shown).toContain("begun");
    expect(shown).toMatch(/exit 130$/);
  });
});
