import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { RunExit, RunResponse, RunStarted } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentClient, AgentStream } from "../../src/sandbox/channel/agent-client.js";

let runs = 0;

/** What to run, and how the test reads it. */
export interface RunRecordOptions {
  readonly runId?: string;
  readonly argv?: string[];
  readonly script?: Uint8Array<ArrayBuffer>;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: boolean;
  readonly signal?: AbortSignal;
  /** What to do with each response; a returned promise holds the process back. Default: nothing. */
  readonly onResponse?: (response: RunResponse) => void | Promise<void>;
}

/** A run and all that it told. */
export class RunRecord {
  readonly runId: string;
  readonly stream: AgentStream<typeof AgentService.method.run>;
  /** The names of the events in order. */
  readonly events: string[] = [];
  readonly started: Promise<RunStarted>;
  stdout = "";
  stderr = "";
  exit: RunExit | undefined;
  #onStarted: (started: RunStarted) => void = () => undefined;

  constructor(client: AgentClient, { signal, onResponse, ...start }: RunRecordOptions) {
    this.runId = start.runId ?? `run-${process.pid}-${++runs}`;
    this.started = new Promise((resolve) => (this.#onStarted = resolve));
    this.stream = client.stream(AgentService.method.run, {
      signal: signal ?? new AbortController().signal,
      onResponse: (response) => {
        this.#record(response);
        return onResponse?.(response);
      },
    });
    void this.stream.send({ message: { case: "start", value: { ...start, runId: this.runId } } });
    if (start.stdin !== true) this.stream.end();
  }

  /** Waits for the end of the stream. */
  async done(): Promise<this> {
    await this.stream.done;
    return this;
  }

  #record({ event }: RunResponse): void {
    this.events.push(event.case ?? "none");
    if (event.case === "started") this.#onStarted(event.value);
    if (event.case === "stdout") this.stdout += Buffer.from(event.value).toString("latin1");
    if (event.case === "stderr") this.stderr += Buffer.from(event.value).toString("latin1");
    if (event.case === "exit") this.exit = event.value;
  }
}
