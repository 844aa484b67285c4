import type { GrpcClient } from "./parts/grpc-client.js";
import type { JsonClient } from "./parts/json-client.js";
import type { Kind, ServiceProcess } from "./parts/service-process.js";
import type { Spawner } from "./parts/spawner.js";
import type { WireClient } from "./parts/wire-client.js";
import type { Row } from "./row.js";

/** A running service with its clients, and the yardsticks beside it. */
export interface Stage {
  readonly service: ServiceProcess;
  readonly client: GrpcClient;
  readonly json: JsonClient;
  readonly wire: WireClient;
  readonly spawner: Spawner;
  /** True for a short run with fewer rounds. */
  readonly quick: boolean;
}

/** Some rows that are measured together. */
export interface Measurement {
  readonly name: string;
  /** The kinds of sandbox it is measured on. */
  readonly kinds: readonly Kind[];
  measure(stage: Stage): Promise<Row[]>;
}
