import type { ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";

import type { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { HealthCheckResponse_ServingStatus as Status } from "../../gen/grpc/health/v1/health_pb.js";
import { refusal } from "./refusal.js";
import type { ServingState } from "./serving-state.js";
import { aborted } from "./serving-state.js";

/** Options of createHealth. */
export interface HealthOptions {
  readonly state: ServingState;
  /** Full names of the services that are served. */
  readonly services: () => readonly string[];
}

/**
 * The service grpc.health.v1.Health. The empty name stands for the whole service. Every service is SERVING until the
 * drain and NOT_SERVING from then on. Check answers NOT_FOUND for an unknown name, Watch SERVICE_UNKNOWN.
 */
export function createHealth({ state, services }: HealthOptions): ServiceImpl<typeof Health> {
  const isKnown = (name: string): boolean => name === "" || services().includes(name);
  const current = (): Status => (state.draining ? Status.NOT_SERVING : Status.SERVING);
  return {
    check({ service }) {
      if (isKnown(service)) return { status: current() };
      throw refusal({
        code: Code.NotFound,
        reason: "NOT_FOUND",
        message: `no service "${service.slice(0, 200)}" here; ask for "" or one of ${services().join(", ")}`,
      });
    },
    list() {
      return {
        statuses: Object.fromEntries(["", ...services()].map((name) => [name, { status: current() }])),
      };
    },
    async *watch({ service }, { signal }) {
      if (isKnown(service)) {
        const first = current();
        yield { status: first };
        await state.whenDraining(signal);
        if (signal.aborted) return;
        if (current() !== first) yield { status: current() };
      } else {
        yield { status: Status.SERVICE_UNKNOWN };
      }
      await aborted(signal);
    },
  };
}
