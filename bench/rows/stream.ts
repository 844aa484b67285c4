import { setTimeout as sleep } from "node:timers/promises";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { interleave } from "../measure/rounds.js";
import { findContainer } from "../parts/docker-engine.js";
import { residentBytes } from "../parts/proc.js";
import { Spawner } from "../parts/spawner.js";
import type { Row } from "../row.js";
import type { Measurement, Stage } from "../stage.js";

const SAMPLE_MS = 20;

interface Streamed {
  readonly megabytesPerSecond: number;
  readonly receivedBytes: number;
  readonly gaps: number;
  readonly grownBytes: number;
}

/** 200 MB of output, streamed live to a client that reads. */
export const stream: Measurement = {
  name: "stream",
  kinds: ["docker", "local"],
  async measure(stage) {
    const { service, quick } = stage;
    const provider = service.kind;
    const totalBytes = quick ? 50_000_000 : 200_000_000;
    const command = `head -c ${totalBytes} /dev/zero | tr '\\0' x`;
    await streamOnce(stage, { command, totalBytes });
    const runs: Streamed[] = [];
    const rounds = await interleave(
      {
        async ours() {
          const run = await streamOnce(stage, { command, totalBytes });
          runs.push(run);
          return run.megabytesPerSecond;
        },
        yardstick: await yardstickOf(stage, { command, totalBytes }),
      },
      quick ? { rounds: 2, budgetMs: 5_000 } : { rounds: 3, budgetMs: 15_000 },
    );
    const gaps = runs.reduce((sum, run) => sum + run.gaps, 0);
    const received = Math.min(...runs.map((run) => run.receivedBytes));
    const grown = Math.max(...runs.map((run) => run.grownBytes));
    const size = `${totalBytes / 1_000_000} MB of output`;
    const what = provider === "docker" ? "docker exec of the same command" : "raw spawn of the same command";
    return [
      {
        provider,
        what: `${size}, live, gRPC`,
        ours: { value: rounds.figure("ours"), unit: "MB/s" },
        yardstick: { what, value: rounds.figure("yardstick"), unit: "MB/s" },
        ratio: { value: rounds.ratio("ours", "yardstick"), reads: "times the yardstick" },
        target: { of: "figure", is: "at least", value: 60 },
      },
      memoryRow(stage, { size, grown }),
      {
        provider,
        what: `${size}: share that the client received, least of ${runs.length} runs`,
        ours: { value: received / totalBytes, unit: "share" },
        target: { of: "figure", is: "at least", value: 1 },
      },
      {
        provider,
        what: `${size}: gaps in ${runs.length} runs`,
        ours: { value: gaps, unit: "gaps" },
        target: { of: "figure", is: "at most", value: 0 },
      },
    ];
  },
};

function memoryRow({ service }: Stage, { size, grown }: { size: string; grown: number }): Row {
  return {
    provider: service.kind,
    what: `${size}: most that the service grew`,
    ours: { value: grown / 2 ** 20, unit: "MiB" },
    target: { of: "figure", is: "below", value: 64 },
  };
}

async function streamOnce(
  { client, service }: Stage,
  { command, totalBytes }: { command: string; totalBytes: number },
): Promise<Streamed> {
  let receivedBytes = 0;
  let gaps = 0;
  const before = residentBytes(service.pid);
  let most = before;
  const over = new AbortController();
  const sampling = sample(() => (most = Math.max(most, residentBytes(service.pid))), over.signal);
  const startedAt = performance.now();
  const { outcome, truncation } = await client.start("bash", { command }, ({ event }) => {
    if (event.case === "output") receivedBytes += event.value.data.byteLength;
    if (event.case === "gap") gaps += 1;
  }).result;
  const elapsedMs = performance.now() - startedAt;
  over.abort();
  await sampling;
  if (outcome !== Outcome.OK) throw new Error(`the command ended ${Outcome[outcome]}`);
  if (Number(truncation?.originalBytes ?? 0n) !== totalBytes) {
    throw new Error(`the result counts ${truncation?.originalBytes ?? "no"} bytes, not ${totalBytes}`);
  }
  return {
    megabytesPerSecond: receivedBytes / 1000 / elapsedMs,
    receivedBytes,
    gaps,
    grownBytes: most - before,
  };
}

async function sample(take: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    take();
    await sleep(SAMPLE_MS);
  }
}

async function yardstickOf(
  { service }: Stage,
  { command, totalBytes }: { command: string; totalBytes: number },
): Promise<() => Promise<number>> {
  const argv =
    service.kind === "docker"
      ? ["docker", "exec", (await findContainer(service.instance)).id, "bash", "-c", command]
      : ["bash", "-c", command];
  return async () => {
    const reader = new Spawner();
    const { bytes, elapsedMs } = await reader.run(argv, { count: 1 }).finally(() => reader.close());
    if (bytes !== totalBytes) throw new Error(`the yardstick printed ${bytes} bytes, not ${totalBytes}`);
    return bytes / 1000 / elapsedMs;
  };
}
