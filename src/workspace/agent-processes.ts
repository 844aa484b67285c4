import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { RunExit, RunResponse } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../sandbox/channel/agent-client.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { SandboxWatch } from "./sandbox-watch.js";
import type { Begun, RunOptions, WorkspaceProcesses } from "./workspace.js";

/** How long an exit is waited for after a kill has been answered, in ms. */
const EXIT_AFTER_KILL_MS = 2000;

/** The processes of a workspace by its agent. */
export class AgentProcesses implements WorkspaceProcesses {
  readonly #client: AgentClient;
  readonly #watch: SandboxWatch;

  constructor(client: AgentClient, watch: SandboxWatch) {
    this.#client = client;
    this.#watch = watch;
  }

  async run(options: RunOptions): Promise<RunExit> {
    const { runId, signal, killGraceMs } = options;
    signal.throwIfAborted();
    const reset = new AbortController();
    const progress: RunProgress = { begun: "no", exit: undefined };
    const stopWatching = this.#watch.expectAnswer();
    const stopKilling = this.#killOnAbort({ runId, signal, killGraceMs, reset, progress });
    try {
      const stream = this.#client.stream(AgentService.method.run, {
        signal: reset.signal,
        onResponse: ({ event }) => {
          if (event.case === "started") stopWatching();
          return hear(event, options, progress);
        },
      });
      progress.begun = "unknown";
      const sent = stream.send({ message: { case: "start", value: startRequest(options) } });
      stream.end();
      await Promise.race([sent, stream.done]);
      await stream.done;
    } catch (error) {
      if (signal.aborted && reset.signal.aborted) throw signal.reason;
      throw await this.#watch.nameLoss(error, progress.begun);
    } finally {
      stopWatching();
      stopKilling();
    }
    if (progress.exit === undefined) throw new Error("the run ended without an exit");
    return progress.exit;
  }

  async killAll({
    runIds = [],
    signal,
  }: {
    runIds?: readonly string[];
    signal: AbortSignal;
  }): Promise<number> {
    try {
      const request = { runIds: [...runIds] };
      const call = this.#client.call(AgentService.method.killAll, request, { signal });
      const { processesKilled } = await this.#watch.answer(call);
      return processesKilled;
    } catch (error) {
      throw await this.#watch.nameLoss(error, "yes");
    }
  }

  /** A run that has begun is killed and its exit waited for; one that has not is withdrawn by a reset of its stream. */
  #killOnAbort(options: {
    runId: string;
    signal: AbortSignal;
    killGraceMs: number;
    reset: AbortController;
    progress: RunProgress;
  }): () => void {
    const { runId, signal, killGraceMs, reset, progress } = options;
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => reset.abort(signal.reason);
    const onAbort = () => {
      if (progress.begun !== "yes") {
        giveUp();
        return;
      }
      timer = setTimeout(giveUp, killGraceMs + EXIT_AFTER_KILL_MS);
      const request = { runId, graceMs: killGraceMs };
      const killed = this.#client.call(AgentService.method.killRun, request, { signal: reset.signal });
      this.#watch.answer(killed).catch((error: unknown) => {
        if (error instanceof AgentFailure) giveUp();
      });
    };
    signal.addEventListener("abort", onAbort, { once: true });
    return () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  }
}

/** What a run has told. */
interface RunProgress {
  begun: Begun;
  exit: RunExit | undefined;
}

function startRequest({ runId, argv, script, cwd = "", env = {}, spool }: RunOptions) {
  return {
    ...{ runId, argv: [...argv], cwd, env: { ...env } },
    ...(script === undefined ? {} : { script }),
    ...(spool === undefined ? {} : { spool: spoolRequest(spool) }),
  };
}

function spoolRequest({ artifactId, afterBytes, maxBytes }: NonNullable<RunOptions["spool"]>) {
  return { artifactId, afterBytes: BigInt(afterBytes), maxBytes: BigInt(maxBytes) };
}

function hear(
  event: RunResponse["event"],
  { onStarted, onOutput }: RunOptions,
  progress: RunProgress,
): void | Promise<void> {
  switch (event.case) {
    case "started":
      progress.begun = "yes";
      onStarted?.(event.value);
      return;
    case "stdout":
    case "stderr":
      return onOutput(event.case, event.value);
    case "exit":
      progress.exit = event.value;
      return;
    case undefined:
      return;
  }
}
