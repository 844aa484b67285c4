import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const execute = promisify(execFile);
const source = fileURLToPath(new URL("../../node_modules/commander", import.meta.url));

const PROGRAM = `const { Command } = require("./package");
const program = new Command().argument("<name>");
try {
  program.exitOverride().configureOutput({ writeErr: (text) => process.stdout.write(text) }).parse(["node", "x"]);
} catch (error) {
  process.exitCode = error.exitCode;
}
`;

for (const kind of SANDBOX_KINDS) {
  describe(`an agent's work on a real package on ${kind}`, () => {
    let service: TestService;
    const turn = (tool: string, args: Record<string, unknown>) =>
      service.run(tool, args, { request: { context: { sessionId: "work" } } });

    beforeAll(async () => {
      service = await startTestService(kind);
      const folder = await mkdtemp(join(tmpdir(), "handrail-pack-"));
      const { stdout } = await execute("npm", ["pack", "--silent", "--pack-destination", folder, source]);
      const archive = await readFile(join(folder, stdout.trim()), "base64");
      await rm(folder, { recursive: true });
      await service.bash(`base64 -d <<'END' | tar xz\n${archive}\nEND`);
    });
    afterAll(() => service.close());

    it("finds a message in its source, changes it and sees the change when it runs", async () => {
      const found = await turn("glob", { pattern: "package/lib/*.js" });
      expect(found.text).toContain("package/lib/command.js");

      const grepped = await turn("grep", {
        pattern: "missing required argument",
        path: "package/lib",
        mode: "content",
      });
      const line = Number(/(\d+):.*missing required/.exec(grepped.text)?.[1]);
      expect(line).toBeGreaterThan(0);

      const shown = await turn("read", { path: "package/lib/command.js", offset: line - 2, limit: 5 });
      const old = /error: missing required argument '[^`]*/.exec(shown.text)?.[0] ?? "";
      expect(old).not.toBe("");

      await turn("write", { path: "run.cjs", content: PROGRAM });
      const before = await turn("bash", { command: "node run.cjs" });
      expect(before.text).toContain("error: missing required argument 'name'");
      expect(before.result.exit?.status).toEqual({ case: "code", value: 1 });

      const edited = await turn("edit", {
        path: "package/lib/command.js",
        old_string: old,
        new_string: old.replace("missing required argument", "say which"),
      });
      expect(edited.result.outcome).toBe(Outcome.OK);
      expect(edited.text).toContain(`line ${line}`);

      const after = await turn("bash", { command: "node run.cjs" });
      expect(after.text).toContain("error: say which 'name'");
    });
  });
}
