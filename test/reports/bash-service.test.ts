import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { proxyEnvironment } from "../../src/sandbox-agent/egress/proxy-environment.js";
import { COMMAND_ENVIRONMENT } from "../../src/workspace/command-environment.js";
import { SANDBOX_KINDS } from "../support/service.js";
import { bodyOf } from "./on-each-sandbox.js";
import { startServiceProcess } from "./service-process.js";
import type { ServiceProcess } from "./service-process.js";

const MIB = 1024 * 1024;
const CANARIES = { OPENAI_API_KEY: "canary-xyz", DATABASE_URL: "canary2", AWS_SECRET_ACCESS_KEY: "canary3" };

/** What a shell sets by itself, what a provider sets, and the mark by which a run's processes are known. */
const OTHER_NAMES = ["HOME", "OLDPWD", "PATH", "PWD", "SHLVL", "USER", "_", "LOGNAME", "SHELL", "TMPDIR"];

for (const kind of SANDBOX_KINDS) {
  describe(`the service process with ${kind}`, () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startServiceProcess(kind, CANARIES);
      await service.bash("true");
    });
    afterAll(() => service.close());

    it("gives commands nothing of its own environment (B139)", async () => {
      const seen = await service.bash(
        "env | sort; cat /proc/1/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'",
      );
      expect(bodyOf(seen)).toContain("PATH=");
      expect(bodyOf(seen)).not.toContain("canary");
      const names = bodyOf(await service.bash("compgen -e"))
        .trim()
        .split("\n");
      const given = { ...COMMAND_ENVIRONMENT, ...proxyEnvironment(1) };
      const allowed = new Set([...Object.keys(given), ...OTHER_NAMES]);
      expect(names.filter((name) => !allowed.has(name) && !name.startsWith("HANDRAIL_"))).toEqual([]);
    });

    it("stays small and quick while four commands print without end (B021)", async () => {
      const floods = () =>
        Array.from({ length: 4 }, () => service.bash("yes 0123456789abcdef", { timeout: 2500 }));
      await Promise.all(floods());
      const before = await service.residentBytes();
      const running = Promise.all(floods());
      const answers: number[] = [];
      while (answers.length < 4) answers.push((await service.bash("echo here")).elapsedMs);
      for (const { result, text, elapsedMs } of await running) {
        expect(result.outcome).toBe(Outcome.TIMED_OUT);
        expect(elapsedMs).toBeLessThan(4500);
        const cut = Number(/… \[truncated, (\d+) more bytes\]/.exec(text)?.[1]);
        expect(Number(result.truncation?.keptBytes) + cut).toBe(Number(result.truncation?.originalBytes));
        expect(Number(result.truncation?.originalBytes)).toBeGreaterThan(MIB);
      }
      expect(Math.max(...answers)).toBeLessThan(1500);
      expect((await service.peakBytes()) - before).toBeLessThan(64 * MIB);
    });
  });
}
