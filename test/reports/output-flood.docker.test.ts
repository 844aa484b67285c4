import { expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { serviceForTest } from "../support/service.js";
import { startDribblingEngine } from "./dribbling-engine.js";
import { inLanes } from "./in-lanes.js";
import { bodyOf, codeOf, onEachSandbox } from "./on-each-sandbox.js";

const ZEROS = 3_000_000;
const ROUNDS = 3;

onEachSandbox(
  "output through the engine",
  ({ bash }) => {
    it("keeps the end of every long output, and counts every byte, with 20 at once (B067)", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const end = `END_${round}_${index}`;
            const { text, result } = await bash(
              `head -c ${ZEROS} /dev/zero | tr "\\0" x; echo; echo ${end}; echo ERR_END >&2`,
            );
            const total = ZEROS + `\n${end}\nERR_END\n`.length;
            const cut = Number(/… \[truncated, (\d+) more bytes\]/.exec(text)?.[1]);
            expect(Number(result.truncation?.originalBytes)).toBe(total);
            expect(Number(result.truncation?.keptBytes) + cut).toBe(total);
            expect(text).toContain(`\n${end}\n`);
            expect(text).toContain("ERR_END\n");
          }),
        );
      }
    });

    it("knows the exit code of 500 failures and 500 successes (B085)", async () => {
      const runs = Array.from({ length: 1000 }, (_, index) => async () => {
        return codeOf(await bash(index % 2 === 0 ? "exit 3" : "true"));
      });
      expect(await inLanes(10, runs)).toEqual(runs.map((_, index) => (index % 2 === 0 ? 3 : 0)));
    });

    it("cleans up after a flood of forks that reached the limit of processes (B159)", async () => {
      const flood = await bash("for i in $(seq 20000); do sleep 100 & done; wait", { timeout: 3000 });
      expect(flood.result.outcome).toBe(Outcome.TIMED_OUT);
      expect(flood.result.exit?.processesKilled).toBeGreaterThan(200);
      expect(flood.elapsedMs).toBeLessThan(8000);
      const alive = await bash("echo alive; pgrep -fc 'sleep 10[0]'");
      expect([bodyOf(alive), alive.elapsedMs < 5000]).toEqual(["alive\n0\n", true]);
    });

    it("does not stall where the engine's answers come a byte at a time (B143)", async () => {
      const engine = await startDribblingEngine();
      const service = await serviceForTest("docker", { DOCKER_HOST: `unix://${engine.socketPath}` });
      try {
        const ran = await service.bash("echo abc; echo def >&2");
        expect([ran.stdout.toString(), ran.stderr.toString()]).toEqual(["abc\n", "def\n"]);
        const header = await service.bash("printf '\\001\\000\\000\\000\\000\\000\\000\\005hello'");
        expect(header.stdout.toString("latin1")).toBe("\x01\0\0\0\0\0\0\x05hello");
      } finally {
        await service.close();
        await engine.close();
      }
    });
  },
  { kinds: ["docker"] },
);
