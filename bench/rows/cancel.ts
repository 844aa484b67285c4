import { randomInt } from "node:crypto";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { quantile } from "../measure/statistics.js";
import { commandLine, processesWith } from "../parts/proc.js";
import type { Measurement, Stage } from "../stage.js";

/** Processes of the command that bear the marker. */
const PROCESSES = 4;
const PATIENCE_MS = 10_000;

/** After this long no further round begins, in ms. */
const BUDGET_MS = 15_000;

/** From CancelCall to the death of the last process, of a command that does what it can to escape. */
export const cancel: Measurement = {
  name: "cancel",
  kinds: ["docker", "local"],
  async measure(stage) {
    const provider = stage.service.kind;
    const mostRounds = stage.quick ? 20 : 60;
    const deadMs: number[] = [];
    let alive = 0;
    const startedAt = performance.now();
    for (let round = 0; round < mostRounds && performance.now() - startedAt < BUDGET_MS; round += 1) {
      const one = await cancelOnce(stage);
      deadMs.push(one.deadMs);
      alive += one.alive;
    }
    const rounds = deadMs.length;
    return [
      {
        provider,
        what: `CancelCall to last process dead, p50 of ${rounds}`,
        ours: { value: quantile(deadMs, 0.5), unit: "ms" },
      },
      {
        provider,
        what: `CancelCall to last process dead, p99 of ${rounds}`,
        ours: { value: quantile(deadMs, 0.99), unit: "ms" },
        target: { of: "figure", is: "below", value: 250 },
      },
      {
        provider,
        what: `CancelCall: processes alive after its answer, ${rounds} rounds`,
        ours: { value: alive, unit: "processes" },
        target: { of: "figure", is: "at most", value: 0 },
      },
    ];
  },
};

/** A child in a session of its own, a double fork, one without the environment's marker, and one in the foreground. */
function escapingCommand(marker: string): string {
  return [`setsid ${marker} &`, `(${marker} &)`, `env -i setsid ${marker} &`, marker].join("\n");
}

async function cancelOnce({ client }: Stage): Promise<{ deadMs: number; alive: number }> {
  const marker = `sleep 900.${randomInt(1e9, 1e10)}`;
  const text = marker.replace(" ", "\0");
  const call = client.start("bash", { command: escapingCommand(marker) });
  const pids = await untilAllRun(text);
  const startedAt = performance.now();
  const answered = client.cancel(call.callId).then(() => processesWith(text).length);
  while (pids.some((pid) => commandLine(pid).includes(text))) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error("a canceled process does not die");
    await setImmediate();
  }
  const deadMs = performance.now() - startedAt;
  const alive = await answered;
  const { outcome } = await call.result;
  if (outcome !== Outcome.CANCELED) throw new Error(`the canceled call ended ${Outcome[outcome]}`);
  return { deadMs, alive };
}

async function untilAllRun(text: string): Promise<number[]> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const pids = processesWith(text).filter((pid) => commandLine(pid).startsWith("sleep\0"));
    if (pids.length === PROCESSES) return pids;
    await sleep(2);
  }
  throw new Error(`the command did not start its ${PROCESSES} processes within ${PATIENCE_MS} ms`);
}
