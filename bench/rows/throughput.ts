import { callsPerSecond } from "../measure/load.js";
import { interleave } from "../measure/rounds.js";
import { findContainer } from "../parts/docker-engine.js";
import type { Row } from "../row.js";
import type { Measurement, Stage } from "../stage.js";

const CALLERS = [1, 8, 32, 128] as const;

/** Callers of the loops that ours are compared with. */
const YARDSTICK_CALLERS = 32;

/** Calls of `bash true` a second by several callers at once. */
export const throughput: Measurement = {
  name: "throughput",
  kinds: ["docker", "local"],
  async measure(stage) {
    const { client, service, quick } = stage;
    const ms = quick ? 400 : 1500;
    const ours = (callers: number) => () =>
      callsPerSecond({ callers, ms }, () => client.run("bash", { command: "true" }));
    const yardstick = await yardstickOf(stage);
    const rounds = await interleave(
      { at1: ours(1), at8: ours(8), at32: ours(32), at128: ours(128), yardstick: yardstick.measure },
      quick ? { rounds: 2, budgetMs: 8_000 } : { rounds: 4, budgetMs: 24_000 },
    );
    return CALLERS.map((callers): Row => ({
      provider: service.kind,
      what: `bash true, ${callers} caller${callers === 1 ? "" : "s"}, gRPC`,
      ours: { value: rounds.figure(`at${callers}`), unit: "calls/s" },
      yardstick: { what: yardstick.what, value: rounds.figure("yardstick"), unit: "calls/s" },
      ratio: { value: rounds.ratio(`at${callers}`, "yardstick"), reads: "times better" },
      ...(callers === YARDSTICK_CALLERS && service.kind === "docker"
        ? { target: { of: "ratio", is: "at least", value: 16 } as const }
        : {}),
    }));
  },
};

async function yardstickOf({ service, spawner, quick }: Stage) {
  const local = service.kind === "local";
  const argv = local
    ? ["bash", "-c", "true"]
    : ["docker", "exec", (await findContainer(service.instance)).id, "true"];
  const count = local ? 400 : quick ? 40 : 80;
  return {
    what: `loop of ${local ? "raw spawns" : "docker exec true"}, ${YARDSTICK_CALLERS} callers`,
    measure: async () => {
      const { elapsedMs } = await spawner.run(argv, { count, callers: YARDSTICK_CALLERS });
      return (count * 1000) / elapsedMs;
    },
  };
}
