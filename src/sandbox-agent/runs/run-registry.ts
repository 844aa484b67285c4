import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import { deferred } from "../../sandbox/channel/deferred.js";
import type { Deferred } from "../../sandbox/channel/deferred.js";
import type { SupervisedRun } from "../supervise/supervisor.js";

/** A run from the request to start it until its last process has ended. */
export interface RunEntry {
  readonly runId: string;
  /** Resolves with the run when it has started, with nothing if it did not. */
  readonly run: Promise<SupervisedRun | undefined>;
  /** Process id of the run's first process and of its parent, once known. */
  rootPids: readonly number[];
  /** True once the first process has ended: what lives is left over. */
  exited: boolean;
}

const maxRemembered = 4096;

/** The runs of an agent by id. */
export class RunRegistry {
  readonly #entries = new Map<string, RunEntry & { readonly started: Deferred<SupervisedRun | undefined> }>();
  readonly #ended = new Set<string>();

  /** Adds a run that is about to be started. Throws INVALID if the id is in use or was used lately. */
  add(runId: string): RunEntry {
    if (runId === "") throw agentFailure(ErrorKind.INVALID, "run_id is empty");
    if (this.#entries.has(runId) || this.#ended.has(runId))
      throw agentFailure(ErrorKind.INVALID, `run_id ${runId} was used before`);
    const started = deferred<SupervisedRun | undefined>();
    const entry = { runId, started, run: started.promise, rootPids: [], exited: false };
    this.#entries.set(runId, entry);
    return entry;
  }

  /** Says that the run has started. It is forgotten when its last process has ended. */
  started({ runId }: RunEntry, run: SupervisedRun): void {
    this.#entries.get(runId)?.started.resolve(run);
    void run.ended.then(() => {
      this.#entries.delete(runId);
      this.#remember(runId);
    });
  }

  /** Says that the run could not be started. */
  failed({ runId }: RunEntry): void {
    this.#entries.get(runId)?.started.resolve(undefined);
    this.#entries.delete(runId);
  }

  /** The runs that have a living process or are about to. */
  living(): readonly RunEntry[] {
    return [...this.#entries.values()];
  }

  /** One such run. Throws NO_RUN if there was none of that id lately; nothing if it has ended. */
  find(runId: string): RunEntry | undefined {
    const entry = this.#entries.get(runId);
    if (entry === undefined && !this.#ended.has(runId))
      throw agentFailure(ErrorKind.NO_RUN, `there is no run ${runId}`);
    return entry;
  }

  #remember(runId: string): void {
    this.#ended.add(runId);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxRemembered && oldest !== undefined) this.#ended.delete(oldest);
  }
}
