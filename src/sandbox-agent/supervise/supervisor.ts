/** A process to start under supervision. */
export interface ProcessSpec {
  /** Id of the run; stands in the environment of every process of the run as `HANDRAIL_RUN`. */
  readonly runId: string;
  /** Program and arguments; the program is looked up in the PATH of `env`. */
  readonly argv: readonly string[];
  /** Content of a private script file to make; its path is appended to `argv`. Default: none. */
  readonly script?: Uint8Array;
  /** Absolute working directory. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** `none`: standard input is empty. `pipe`: it is written by `writeStdin`. */
  readonly stdin: "none" | "pipe";
}

/** How a process ended: its exit code or the name of the signal that killed it; unset if it is not known. */
export interface ProcessExit {
  readonly code?: number;
  /** Such as `SIGKILL`. */
  readonly signal?: string;
  /** Processes of the run that `kill` ended. */
  readonly processesKilled: number;
  /** Descendants that live on. */
  readonly processesLeft: number;
}

/** What a run tells, in this order: started, output any number of times, exit. */
export interface ProcessListener {
  /** `supervisorPid` is the process that keeps the run, if another than the agent does. */
  onStarted(pid: number, supervisorPid?: number): void;
  onOutput(stream: "stdout" | "stderr", data: Uint8Array): void;
  /** The process ended and its output was drained: 50 ms of quiet, at most 250 ms, after its exit. */
  onExit(exit: ProcessExit): void;
}

/** Why a process could not be started. */
export type StartFailure = "working-directory" | "not-executable" | "resources" | "internal";

/** A process could not be started. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly failure: StartFailure;

  constructor(failure: StartFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** A started process and all its descendants. */
export interface SupervisedRun {
  /** Stops and resumes the flow of output; the process blocks once its pipes are full. No effect after exit. */
  pause(): void;
  resume(): void;
  /** Resolves when more may be written. Resolves also if the process does not read any more. */
  writeStdin(data: Uint8Array): Promise<void>;
  endStdin(): void;
  /**
   * Ends every process of the run: SIGTERM, then SIGKILL after `graceMs`; 0 is SIGKILL at once.
   * Resolves with the number of processes killed when all are dead. A run that has ended resolves with 0.
   */
  kill(options: { graceMs: number }): Promise<number>;
  /** Resolves when no process of the run lives, the background ones included. Never rejects. */
  readonly ended: Promise<void>;
}

/** Starts processes and keeps the descendants of each together. */
export interface Supervisor {
  /** Full: no descendant can leave its tree. Reduced: a process that leaves group and environment is not found. */
  readonly supervision: "full" | "reduced";
  /** Throws StartError. */
  start(spec: ProcessSpec, listener: ProcessListener): Promise<SupervisedRun>;
  /** Ends every run at once with SIGKILL and releases what the supervisor holds. */
  close(): Promise<void>;
}
