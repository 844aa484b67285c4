import { GrpcClient } from "./parts/grpc-client.js";
import { JsonClient } from "./parts/json-client.js";
import { ServiceProcess } from "./parts/service-process.js";
import type { Kind } from "./parts/service-process.js";
import { Spawner } from "./parts/spawner.js";
import { WireClient } from "./parts/wire-client.js";
import type { Row } from "./row.js";
import type { Measurement } from "./stage.js";

/** Options of measureKind. */
export interface MeasureKindOptions {
  readonly kind: Kind;
  readonly measurements: readonly Measurement[];
  readonly quick: boolean;
  readonly profileDir: string | undefined;
  /** Hears what is being done. */
  readonly tell: (line: string) => void;
  /** Takes what has to be ended however the run ends. */
  readonly defer: (end: () => Promise<void>) => void;
}

/** Makes the measurements of one kind of sandbox, on a service and a project of their own. */
export async function measureKind(options: MeasureKindOptions): Promise<Row[]> {
  const { kind, measurements, quick, profileDir, tell, defer } = options;
  const profile = profileDir === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileDir}`];
  const service = await ServiceProcess.start(kind, profile);
  defer(() => service.close());
  const client = new GrpcClient(service.url);
  const json = new JsonClient(service.url, client.project);
  const wire = new WireClient(service.url, client.project);
  defer(() => {
    client.close();
    json.close();
    wire.close();
    return Promise.resolve();
  });
  await client.run("bash", { command: "true" });
  const rows: Row[] = [];
  for (const measurement of measurements) {
    const startedAt = performance.now();
    const spawner = new Spawner();
    defer(() => spawner.close());
    rows.push(...(await measurement.measure({ service, client, json, wire, spawner, quick })));
    await spawner.close();
    tell(`${kind}: ${measurement.name}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    if (!spawner.isSmall) {
      const size = Math.round(spawner.rssBytes / 1e6);
      tell(
        `${kind}: ${measurement.name}: the spawning process had ${size} MB: its spawns are slower than raw ones`,
      );
    }
  }
  return rows;
}
