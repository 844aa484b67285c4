import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { RunRequest, RunStart } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import { deferred } from "../../sandbox/channel/deferred.js";
import type { DiskGuard } from "../disk/disk-guard.js";
import type { OomCounter } from "../oom-counter.js";
import type { IsCrowded } from "../process-room.js";
import { StartError } from "../supervise/supervisor.js";
import type { ProcessExit, SupervisedRun, Supervisor } from "../supervise/supervisor.js";
import { commandEnvironment } from "./command-environment.js";
import type { Artifacts } from "./artifacts.js";
import { OutputCoalescer } from "./output-coalescer.js";
import { OutputSpool } from "./output-spool.js";
import type { RunRegistry } from "./run-registry.js";
import { startWithRoom } from "./start-with-room.js";
import type { Cleared } from "./start-with-room.js";
import { workingDirectory, workingDirectoryFailure } from "./working-directory.js";

/** What runs need. */
export interface RunHandlerOptions {
  readonly config: AgentConfig;
  readonly supervisor: Supervisor;
  readonly registry: RunRegistry;
  readonly oomKills: OomCounter;
  readonly isCrowded: IsCrowded;
  readonly disk: DiskGuard;
  readonly artifacts: Artifacts;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/** Makes the handler of Run. A caller that goes away ends the run at once. */
export function createRunHandler(options: RunHandlerOptions): AgentHandlers["run"] {
  const { config, supervisor, registry, oomKills, isCrowded, disk, artifacts, now } = options;
  return async (requests, respond, { signal }) => {
    const input = requests[Symbol.asyncIterator]();
    const start = await readStart(input);
    const cwd = workingDirectory(start.cwd, config);
    const entry = registry.add(start.runId);
    const exit = deferred<ProcessExit>();
    const cleared: Cleared = { processes: 0, runIds: [] };
    const oomBefore = oomKills();
    let run: SupervisedRun | undefined;
    const spool = start.spool === undefined ? undefined : new OutputSpool(artifacts, start.spool);
    const output = new OutputCoalescer({
      send: (name, value) => respond({ event: { case: name, value } }),
      onHeld: (held) => (held ? run?.pause() : run?.resume()),
    });

    try {
      run = await startWithRoom({
        supervisor,
        registry,
        cleared,
        isCrowded,
        signal,
        now,
        spec: {
          runId: start.runId,
          argv: start.argv,
          ...(start.script.byteLength > 0 && { script: start.script }),
          cwd,
          env: commandEnvironment(config, start.env),
          stdin: start.stdin ? "pipe" : "none",
        },
        listener: {
          onStarted(pid, supervisorPid) {
            entry.rootPids = supervisorPid === undefined ? [pid] : [pid, supervisorPid];
            const value = { pid, processesCleared: cleared.processes, runsCleared: cleared.runIds };
            void respond({ event: { case: "started", value } });
          },
          onOutput(name, data) {
            spool?.add(data);
            output.add(name, data);
          },
          onExit(ended) {
            entry.exited = true;
            spool?.close();
            output.flush();
            exit.resolve(ended);
          },
        },
      });
    } catch (error) {
      registry.failed(entry);
      spool?.close();
      throw await startFailure(error, { start, config });
    }
    registry.started(entry, run);
    const started = run;
    let diskExceeded = "";
    const watch = disk.watch((reason) => {
      diskExceeded = reason;
      void started.kill({ graceMs: 0 });
    });
    void started.ended.then(() => watch.stop());
    if (output.held) run.pause();
    const ended = await untilExit({ run, exit: exit.promise, input, feed: start.stdin, signal });
    void respond({
      event: {
        case: "exit",
        value: {
          status: exitStatus(ended),
          oom: oomKills() > oomBefore,
          processesKilled: ended.processesKilled,
          processesLeft: ended.processesLeft,
          diskExceeded,
          spooledBytes: BigInt(spool?.keptBytes ?? 0),
          spoolComplete: spool?.isComplete ?? false,
          fullSupervision: supervisor.supervision === "full",
        },
      },
    });
  };
}

async function readStart(input: AsyncIterator<RunRequest>): Promise<RunStart> {
  const first = await input.next();
  if (first.done === true || first.value.message.case !== "start")
    throw agentFailure(ErrorKind.INVALID, "the first request of a run must be its start");
  const start = first.value.message.value;
  if (start.argv.length === 0) throw agentFailure(ErrorKind.INVALID, "argv is empty");
  return start;
}

interface UntilExitOptions {
  readonly run: SupervisedRun;
  readonly exit: Promise<ProcessExit>;
  readonly input: AsyncIterator<RunRequest>;
  readonly feed: boolean;
  readonly signal: AbortSignal;
}

async function untilExit({ run, exit, input, feed, signal }: UntilExitOptions): Promise<ProcessExit> {
  const broken = deferred<never>();
  const onAbort = (): void => {
    run.kill({ graceMs: 0 }).then(
      () => broken.reject(signal.reason),
      (error: unknown) => broken.reject(error),
    );
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  if (feed)
    feedStdin(run, input).catch((error: unknown) => (signal.aborted ? undefined : broken.reject(error)));
  try {
    return await Promise.race([exit, broken.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function feedStdin(run: SupervisedRun, input: AsyncIterator<RunRequest>): Promise<void> {
  for (let next = await input.next(); next.done !== true; next = await input.next()) {
    const { message } = next.value;
    if (message.case === "stdin") await run.writeStdin(message.value);
  }
  run.endStdin();
}

function exitStatus({ code, signal }: ProcessExit) {
  if (signal !== undefined) return { case: "signal", value: signal } as const;
  if (code !== undefined) return { case: "code", value: code } as const;
  return { case: undefined };
}

async function startFailure(
  error: unknown,
  { start: { cwd, argv }, config }: { start: RunStart; config: AgentConfig },
): Promise<unknown> {
  if (!(error instanceof StartError)) return error;
  const { failure, message } = error;
  switch (failure) {
    case "working-directory":
      return workingDirectoryFailure(cwd, config);
    case "not-executable":
      return agentFailure(ErrorKind.INVALID, `${argv[0] ?? ""} cannot be run: ${message}`);
    case "resources":
      return agentFailure(
        ErrorKind.RESOURCES,
        `no further process can be started (${message}); end background processes and try again`,
      );
    case "internal":
      return agentFailure(ErrorKind.INTERNAL, `the process could not be started: ${message}`);
  }
}
