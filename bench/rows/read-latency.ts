import { medianMs } from "../measure/load.js";
import { interleave } from "../measure/rounds.js";
import { median } from "../measure/statistics.js";
import { findContainer } from "../parts/docker-engine.js";
import type { Measurement } from "../stage.js";

/** A `read` of a file of 1 KiB, one caller. */
export const readLatency: Measurement = {
  name: "read",
  kinds: ["docker"],
  async measure({ client, service, spawner, quick }) {
    const line = "x".repeat(63);
    const command = `yes ${line} | head -c 1024 >small.txt && realpath small.txt | tr -d '\\n'`;
    const { content } = await client.run("bash", { command });
    const part = content[0]?.part;
    const path = part?.case === "text" ? part.value.text : "";
    const read = () => medianMs(quick ? 60 : 100, () => client.run("read", { path: "small.txt" }));
    await medianMs(quick ? 200 : 500, () => client.run("read", { path: "small.txt" }));
    const container = await findContainer(service.instance);
    const rounds = await interleave(
      {
        ours: read,
        async cat() {
          const argv = ["docker", "exec", container.id, "cat", path];
          const { durationsMs, bytes } = await spawner.run(argv, { count: 6 });
          if (bytes !== 6 * 1024) throw new Error(`docker exec cat read ${bytes} bytes, not 6 times 1024`);
          return median(durationsMs);
        },
      },
      quick ? { rounds: 3, budgetMs: 3_000 } : { rounds: 8, budgetMs: 10_000 },
    );
    return [
      {
        provider: service.kind,
        what: "read of 1 KiB, p50, gRPC",
        ours: { value: rounds.figure("ours"), unit: "ms" },
        yardstick: { what: "docker exec cat", value: rounds.figure("cat"), unit: "ms" },
        ratio: { value: rounds.ratio("cat", "ours"), reads: "times better" },
        target: { of: "ratio", is: "at least", value: 25 },
      },
    ];
  },
};
