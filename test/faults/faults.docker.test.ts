// The short run takes about two minutes. The long run, by hours: HANDRAIL_FAULT_ROUNDS=40 npm run test:faults
import { setTimeout as sleep } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { runUntilOutput } from "./run-until-output.js";
import { Ground } from "./ground.js";
import { addUp, lineOf } from "./judgement.js";
import { STAGES, killAtStage, noKills } from "./kill-stages.js";
import { SANDBOX_FAULTS } from "./sandbox-faults.js";

const ROUNDS = Number(process.env["HANDRAIL_FAULT_ROUNDS"] ?? "1");
const HITS = 5 * ROUNDS;
const RANDOM_STRIKES = 6 * ROUNDS;
const KILLED_SERVICES = 2;
/** How long an engine is away, in ms. */
const CUT_MS = 2000;
const AT_ONCE_MS = 1000;
/** Time in which a service notices that the pipe to an agent has closed, in ms; a call before that may be lost with it. */
const NOTICED_MS = 300;
const TIMEOUT_MS = 240_000 * ROUNDS;

/** Fills twice the memory of a sandbox. */
const GREEDY = `python3 -c 'x = [b"x" * 2**20 + bytes([i % 256]) for i in range(512)]'`;

const EAGER = { HANDRAIL_RECOVERY_MAX: "1000", HANDRAIL_RECOVERY_WAIT_MS: "50" };

describe(
  "no call is started twice, no result is lost and no process is left",
  { timeout: TIMEOUT_MS },
  () => {
    const grounds: Ground[] = [];
    const open = async (environment: Readonly<Record<string, string>> = {}): Promise<Ground> => {
      const ground = await Ground.open(environment);
      grounds.push(ground);
      return ground;
    };
    let shared: Ground;
    beforeAll(async () => {
      shared = await open();
    });
    afterAll(() => Promise.all(grounds.map((ground) => ground.dispose())));

    describe.concurrent("when", () => {
      const hits = noKills();
      for (let i = 1; i <= KILLED_SERVICES; i += 1) {
        it(`service ${i} is killed at each stage of a call`, async () => {
          const ground = await open(EAGER);
          const loop = ground.loop();
          await loop.run("true");
          const other = ground.loop();
          const over = new AbortController();
          const load = (async () => {
            while (!over.signal.aborted)
              await other.run(`sleep 0.0${Math.floor(Math.random() * 10)}; echo done`);
          })();
          const aimOf = () => STAGES.reduce((least, stage) => (hits[stage] < hits[least] ? stage : least));
          while (hits[aimOf()] < HITS) hits[await killAtStage(ground, { loop, aim: aimOf() })] += 1;
          over.abort();
          await load;
        });
      }

      it("anything happens to a sandbox at a random moment of a call", async () => {
        const ground = await open(EAGER);
        await Promise.all(
          SANDBOX_FAULTS.map(async ({ removes, strike }) => {
            const loop = ground.loop();
            for (let i = 0; i < RANDOM_STRIKES; i += 1) {
              while ((await loop.run("true")).result.outcome !== Outcome.OK);
              await Promise.all([
                sleep(Math.random() * 100).then(() => loop.run("sleep 0.05; echo done")),
                sleep(Math.random() * 100).then(() =>
                  ground.strike(() => strike(ground.container(loop)), { removes, isRaced: true }),
                ),
              ]);
            }
            await sleep(NOTICED_MS);
            expect((await loop.run("echo alive")).output).toBe("alive\n");
          }),
        );
      });

      it("the engine is out of reach before a call, in the middle of one and at a random moment", async () => {
        const ground = await open();
        const loop = ground.loop();
        const cut = async (ms: number) => {
          await ground.engine.cut();
          await sleep(ms);
          await ground.engine.mend();
        };
        await loop.run("true");
        await sleep(2500);
        const before = ground.strike(() => cut(CUT_MS));
        const waited = await loop.run("echo back");
        await before;
        expect(waited.output).toBe("back\n");
        expect(waited.refusals.length).toBeGreaterThan(1);
        expect(new Set(waited.refusals.map(({ code }) => code))).toEqual(new Set([Code.Unavailable]));

        const { running } = await runUntilOutput(loop, `echo begun; ${ground.markedSleep()}`);
        const cutAt = performance.now();
        const mended = ground.strike(() => cut(CUT_MS));
        const { result } = await running;
        expect(performance.now() - cutAt).toBeLessThan(CUT_MS + AT_ONCE_MS);
        expect(result).toMatchObject({
          outcome: Outcome.FAILED,
          error: { code: "sandbox.engine_unreachable", admitted: Admitted.YES, retryable: false },
        });
        await mended;
        expect((await loop.run("echo back")).output).toBe("back\n");

        for (let i = 0; i < RANDOM_STRIKES; i += 1) {
          const random = loop.run("sleep 0.03; echo done");
          await sleep(Math.random() * 60);
          await ground.strike(() => cut(300));
          await random;
        }
        expect((await loop.run("echo back")).output).toBe("back\n");
      });

      it("a container is removed three times in a row, and a fourth time after the service was killed", async () => {
        const ground = await open();
        for (let round = 0; round < ROUNDS; round += 1) {
          const loop = ground.loop();
          const remove = async () => {
            await ground.strike(() => ground.container(loop).remove({ force: true }), { removes: true });
            await sleep(NOTICED_MS);
          };
          await loop.run("echo kept > kept");
          for (let i = 0; i < 3; i += 1) {
            await remove();
            const { result, output } = await loop.run("cat kept");
            expect([result.outcome, result.recovered, output]).toEqual([Outcome.OK, true, "kept\n"]);
          }
          await ground.killService();
          await loop.run("true");
          await remove();
          for (let i = 0; i < 2; i += 1) {
            const { result, elapsedMs } = await loop.run("true");
            expect(result).toMatchObject({
              outcome: Outcome.SANDBOX_LOST,
              error: { code: "sandbox.recovery_exhausted", admitted: Admitted.NO },
            });
            expect(elapsedMs).toBeLessThan(AT_ONCE_MS);
          }
        }
      });

      for (const { name, removes, lost, strike } of SANDBOX_FAULTS) {
        const rounds = removes ? ROUNDS : 1;
        it(`there is ${name} before a call`, async () => {
          for (let round = 0; round < rounds; round += 1) {
            const loop = shared.loop();
            await loop.run("echo kept > kept");
            await shared.strike(() => strike(shared.container(loop)), { removes });
            await sleep(NOTICED_MS);
            const { result, output } = await loop.run("cat kept");
            expect([result.outcome, output, result.recovered]).toEqual([Outcome.OK, "kept\n", removes]);
          }
        });

        it(`there is ${name} in the middle of a call`, async () => {
          for (let round = 0; round < rounds; round += 1) {
            const loop = shared.loop();
            const { running } = await runUntilOutput(loop, `echo begun; ${shared.markedSleep()}`);
            await shared.strike(() => strike(shared.container(loop)), { removes });
            const { result, output } = await running;
            expect([Outcome[result.outcome], result.error?.code]).toEqual(lost);
            expect([result.error?.admitted, result.error?.retryable]).toEqual([Admitted.YES, false]);
            expect(output).toBe("begun\n");
            const next = await loop.run("echo next");
            expect([next.result.outcome, next.output]).toEqual([Outcome.OK, "next\n"]);
          }
        });
      }

      it("a container is paused before a call and in the middle of one", async () => {
        const loop = shared.loop();
        await loop.run("true");
        const { Id } = await shared.container(loop).inspect();
        await shared.strike(() => shared.container(loop).pause());
        expect((await loop.run("echo unpaused")).output).toBe("unpaused\n");

        const { running } = await runUntilOutput(loop, "echo begun; sleep 1; echo done");
        await shared.strike(() => shared.container(loop).pause());
        expect((await loop.run("echo unpaused")).output).toBe("unpaused\n");
        const { result, output } = await running;
        expect([result.outcome, output]).toEqual([Outcome.OK, "begun\ndone\n"]);
        expect((await shared.container(loop).inspect()).Id).toBe(Id);
      });

      it("a command runs out of memory", async () => {
        const loop = shared.loop();
        await loop.run("true");
        const { Id } = await shared.container(loop).inspect();
        let greedy = await loop.run("true");
        await shared.strike(async () => {
          greedy = await loop.run(GREEDY);
        });
        expect(greedy.result.error?.code).toBe("bash.out_of_memory");
        expect(greedy.result.exit?.oom).toBe(true);
        expect((await loop.run("echo alive")).output).toBe("alive\n");
        expect((await shared.container(loop).inspect()).Id).toBe(Id);
      });

      afterAll(() => {
        const bars = STAGES.map((stage) => `${stage} ${hits[stage]}`);
        console.log(`kills of the service by stage of a call: ${bars.join(", ")}`);
      });
    });

    it("by the witness of every command", async () => {
      const judgement = addUp(await Promise.all(grounds.map((ground) => ground.judge())));
      const outcomes = [...judgement.outcomes].map(([outcome, count]) => `${outcome} ${count}`);
      console.log(`outcomes: ${outcomes.join(", ")}`);
      console.log(lineOf(judgement));
      expect(judgement).toMatchObject({
        doubleStarts: [],
        lostResults: [],
        orphans: [],
        falseResults: [],
        miscounts: [],
      });
    });
  },
);
