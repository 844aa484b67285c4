import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Bounds of the time that calls take, in s. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

/** What became of one call. */
export interface EndedCall {
  readonly tool: string;
  /** Name of the outcome. */
  readonly outcome: string;
  readonly totalMs: number;
  readonly isDeduplicated: boolean;
  readonly isRecovered: boolean;
}

/** Counts what happens to calls and sandboxes, for Prometheus. Labels have few values: tools that are there, and outcomes. */
export class CallMetrics {
  readonly #registry = new Registry();
  readonly #tools: ReadonlySet<string>;
  readonly #calls: Counter<"tool" | "outcome">;
  readonly #seconds: Histogram<"tool">;
  readonly #found: Counter<"how">;
  readonly #deduplicated: Counter;
  readonly #recovered: Counter;
  readonly #recoveries: Counter;
  readonly #interrupted: Counter;

  constructor(options: { tools: readonly string[]; running: () => number }) {
    const registers = [this.#registry];
    this.#tools = new Set(options.tools);
    this.#calls = new Counter({
      name: "handrail_calls_total",
      help: "Calls that have ended, by tool and outcome.",
      labelNames: ["tool", "outcome"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "handrail_call_duration_seconds",
      help: "Time from arrival to result, in seconds.",
      labelNames: ["tool"],
      buckets: SECONDS,
      registers,
    });
    this.#found = new Counter({
      name: "handrail_calls_found_total",
      help: "Requests that met a call of their id: joined while it ran, or replayed when it had ended.",
      labelNames: ["how"],
      registers,
    });
    const plain = (name: string, help: string) => new Counter({ name, help, registers });
    this.#deduplicated = plain(
      "handrail_calls_deduplicated_total",
      "Calls that shared the run of an equal one.",
    );
    this.#recovered = plain("handrail_calls_recovered_total", "Calls under which the sandbox was replaced.");
    this.#recoveries = plain("handrail_sandbox_recoveries_total", "Replacements of a sandbox that was gone.");
    this.#interrupted = plain(
      "handrail_calls_interrupted_total",
      "Calls that an earlier process of the service had left open.",
    );
    new Gauge({
      name: "handrail_calls_running",
      help: "Calls that have not ended.",
      registers,
      collect() {
        this.set(options.running());
      },
    });
  }

  /** A call has ended. */
  ended({ tool, outcome, totalMs, isDeduplicated, isRecovered }: EndedCall): void {
    const name = this.#tools.has(tool) ? tool : "other";
    this.#calls.inc({ tool: name, outcome });
    this.#seconds.observe({ tool: name }, totalMs / 1000);
    if (isDeduplicated) this.#deduplicated.inc();
    if (isRecovered) this.#recovered.inc();
  }

  /** A request met a call of its id. */
  found(how: "joined" | "replayed"): void {
    this.#found.inc({ how });
  }

  /** The replacement of a sandbox has begun. */
  recoveryBegan(): void {
    this.#recoveries.inc();
  }

  /** A call was found that an earlier process had left open. */
  interrupted(): void {
    this.#interrupted.inc();
  }

  /** All of it in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
