import type { Duplex } from "node:stream";
import type {
  FileInfo,
  ListTreeResponse,
  ReadLinesResponse,
  RunExit,
  RunStarted,
  StatResponse,
  WriteFileResponse,
} from "../../gen/handrail/sandbox/v1/agent_service_pb.js";

/** Options of WorkspaceFiles.readLines. */
export interface ReadLinesOptions {
  readonly path: string;
  /** First line, from 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  readonly maxBytes: number;
  readonly maxLineBytes: number;
  /** First byte inside `firstLine`; only with `maxLines` 1. Default 0. */
  readonly lineOffsetBytes?: number;
  readonly signal: AbortSignal;
}

/** Options of WorkspaceFiles.writeFile. */
export interface WriteFileOptions {
  /** Parents are created; a symbolic link stays, and its target is written. */
  readonly path: string;
  readonly data: Uint8Array;
  /** Version that the file must have, else AgentFailure CONFLICT. Default: any. */
  readonly ifVersion?: string;
  /** The file must not exist, else AgentFailure CONFLICT. Default false. */
  readonly mustCreate?: boolean;
  readonly signal: AbortSignal;
}

/** Options of WorkspaceFiles.listTree. */
export interface ListTreeOptions {
  /** A directory. */
  readonly path: string;
  /** Levels below it, from 1 to 64. */
  readonly depth: number;
  /** At most 10,000. */
  readonly maxEntries: number;
  /** Also names that begin with a dot. */
  readonly hidden: boolean;
  /** Also what ignore files exclude. */
  readonly ignored: boolean;
  readonly signal: AbortSignal;
}

/** The files of a workspace. Paths are resolved by the agent inside the sandbox. Throws AgentFailure, SandboxLost. */
export interface WorkspaceFiles {
  readLines(options: ReadLinesOptions): Promise<ReadLinesResponse>;
  /** Reads a whole regular file of at most `maxFileBytes`. */
  readAll(options: {
    path: string;
    maxFileBytes: number;
    signal: AbortSignal;
  }): Promise<{ info: FileInfo; data: Uint8Array }>;
  /**
   * Reads bytes of a regular file from an offset on, at most `limitBytes`, 0 for all. Resolves with what the file is.
   * While a promise of `onData` is pending, the agent is held back.
   */
  readRange(options: {
    path: string;
    offsetBytes: number;
    limitBytes: number;
    onInfo: (info: FileInfo) => void;
    onData: (data: Uint8Array) => void | Promise<void>;
    signal: AbortSignal;
  }): Promise<void>;
  /** Says what a path is after symbolic links were followed. */
  stat(options: { path: string; signal: AbortSignal }): Promise<StatResponse>;
  /** Gives a file its content in one step, or leaves it as it was. */
  writeFile(options: WriteFileOptions): Promise<WriteFileResponse>;
  /** Lists a directory and what is below it. */
  listTree(options: ListTreeOptions): Promise<ListTreeResponse>;
}

/** Options of WorkspaceProcesses.run. */
export interface RunOptions {
  /** Unique in the project. */
  readonly runId: string;
  readonly argv: readonly string[];
  /** Content of a script file whose path is appended to `argv`. */
  readonly script?: Uint8Array;
  /** Absolute, or relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Aborting ends every process of the run; the promise then resolves with the exit as usual. */
  readonly signal: AbortSignal;
  /** Time between SIGTERM and SIGKILL on abort, in ms. */
  readonly killGraceMs: number;
  /** Where the output is kept if it has more than `afterBytes`, and how much of it. Default: it is not kept. */
  readonly spool?: { readonly artifactId: string; readonly afterBytes: number; readonly maxBytes: number };
  readonly onStarted?: (started: RunStarted) => void;
  /** While a returned promise is pending, the process is held back. */
  readonly onOutput: (stream: "stdout" | "stderr", data: Uint8Array) => void | Promise<void>;
}

/** The processes of a workspace. */
export interface WorkspaceProcesses {
  /** Resolves when the process has ended and its output was drained. Throws AgentFailure, SandboxLost. */
  run(options: RunOptions): Promise<RunExit>;
  /** Ends the processes that runs have left, all or those of `runIds`. Resolves with their number. */
  killAll(options: { runIds?: readonly string[]; signal: AbortSignal }): Promise<number>;
}

/** A live workspace: the files of a project and the sandbox they are used in. */
export interface Workspace {
  /** Counts the sandboxes that the project has had. */
  readonly generation: number;
  /** Absolute path of the project's files inside the sandbox. */
  readonly root: string;
  /** Absolute path of the home directory of commands inside the sandbox. */
  readonly home: string;
  readonly files: WorkspaceFiles;
  readonly processes: WorkspaceProcesses;
  /**
   * Connects to a server on a port of the sandbox's loopback. The signal ends the connection too. Throws PortClosed if
   * nothing listens there, AgentFailure, SandboxLost.
   */
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
  /** Runs whose command has ended and that have left processes which live; 0 if the agent is lost. Throws AgentFailure. */
  leftRuns(signal: AbortSignal): Promise<number>;
  /** What happened to the sandbox since the last call, for the model; told once. Empty if nothing did. */
  takeNotices(): readonly string[];
}

/** What was lost under a call. */
export type LossKind =
  /** The sandbox does not exist any more. */
  | "sandbox"
  /** The agent process died; the sandbox lives. */
  | "agent"
  /** The engine does not answer. */
  | "engine";

/** Whether work had begun: `yes` if the agent had said so, `unknown` if it was asked and had not answered. */
export type Begun = "no" | "unknown" | "yes";

/** The sandbox, its agent or the engine was lost while a request was under way. */
export class SandboxLost extends Error {
  override readonly name = "SandboxLost";
  readonly kind: LossKind;
  readonly begun: Begun;
  /** Number of the sandbox that it happened to. */
  readonly generation: number;

  constructor(kind: LossKind, options: { begun: Begun; generation: number; cause?: unknown }) {
    super(`the ${kind} was lost`, { cause: options.cause });
    this.kind = kind;
    this.begun = options.begun;
    this.generation = options.generation;
  }
}

/** How the workspace of a project is. */
export interface WorkspaceLook {
  /** `gone` if there is no sandbox now. */
  readonly state: "running" | "stopped" | "paused" | "restarting" | "gone" | "unreachable";
  /** Counts the sandboxes that the project has had; 0 if there is none now. */
  readonly generation: number;
  /** True if the agent is connected. */
  readonly isConnected: boolean;
  /** In ms since 1970; undefined if this service has not used it. */
  readonly lastUsedAtMs: number | undefined;
}

/** Gives the live workspace of a project. */
export interface WorkspaceManager {
  /**
   * The live workspace, with a booted agent. Makes, starts or unpauses what is needed, one flight per project.
   * `onPhase` hears what is being done if it takes a while. A sandbox that was there and is gone is replaced, unless
   * `ifGone` is `throw`: SandboxLost then says so and nothing is made. Throws SandboxError.
   */
  getOrCreate(
    key: { tenant: string; project: string },
    options: {
      signal: AbortSignal;
      onPhase?: (message: string) => void;
      /** Default `replace`. */
      ifGone?: "replace" | "throw";
    },
  ): Promise<Workspace>;
  /** True if the project has a workspace, with or without a sandbox. Throws SandboxError. */
  exists(key: { tenant: string; project: string }): Promise<boolean>;
  /** How the workspace of a project is; wakes nothing. Throws SandboxError. */
  look(key: { tenant: string; project: string }): Promise<WorkspaceLook>;
  /**
   * Replaces the sandbox; the files stay. What runs in it is lost: its callers get SandboxLost. The restart goes on if
   * the caller leaves. Throws SandboxError.
   */
  restart(key: { tenant: string; project: string }, options: { signal: AbortSignal }): Promise<Workspace>;
  /** Removes the sandbox and all files of a project; goes on if the caller leaves. Throws SandboxError. */
  destroy(key: { tenant: string; project: string }, options: { signal: AbortSignal }): Promise<void>;
  /** The workspace if its agent is connected; never wakes anything. */
  peek(key: { tenant: string; project: string }): Workspace | undefined;
  /** Ends all agents and releases the provider. */
  close(): Promise<void>;
}
