import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { median } from "../measure/statistics.js";
import { findContainer } from "../parts/docker-engine.js";
import type { Measurement, Stage } from "../stage.js";

const ROUNDS = { whole: 5, quick: 2 };

/** From the removal of a container under a call to the result of that call, and to that of the next call. */
export const lost: Measurement = {
  name: "lost",
  kinds: ["docker"],
  async measure(stage) {
    const provider = stage.service.kind;
    const rounds = stage.quick ? ROUNDS.quick : ROUNDS.whole;
    const toldMs: number[] = [];
    const nextMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const one = await loseOnce(stage);
      toldMs.push(one.toldMs);
      nextMs.push(one.nextMs);
    }
    return [
      {
        provider,
        what: `container removed under a call, until it is told so, p50 of ${rounds}`,
        ours: { value: median(toldMs), unit: "ms" },
      },
      {
        provider,
        what: `the next call, with a new container, p50 of ${rounds}`,
        ours: { value: median(nextMs), unit: "ms" },
      },
    ];
  },
};

async function loseOnce({ client, service }: Stage): Promise<{ toldMs: number; nextMs: number }> {
  await client.restartSandbox();
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (begun = resolve));
  const call = client.start("bash", { command: "echo begun; sleep 60" }, ({ event }) => {
    if (event.case === "output") begun();
  });
  await started;
  const container = await findContainer(service.instance);
  await container.remove({ force: true });
  const removedAt = performance.now();
  const { outcome } = await call.result;
  const toldMs = performance.now() - removedAt;
  if (outcome !== Outcome.SANDBOX_LOST) throw new Error(`the call ended ${Outcome[outcome]}`);
  const askedAt = performance.now();
  await client.run("bash", { command: "true" });
  return { toldMs, nextMs: performance.now() - askedAt };
}
