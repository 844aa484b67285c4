import type { Duplex } from "node:stream";

/** Names the sandbox of one project of one tenant. */
export interface SandboxKey {
  readonly tenant: string;
  readonly project: string;
}

/** A sandbox that a provider made or found. */
export interface Sandbox {
  readonly key: SandboxKey;
  /** The provider's own id of it. */
  readonly id: string;
  /** Counts the sandboxes that the project has had, from 1. */
  readonly generation: number;
  /** True if this call made it. */
  readonly created: boolean;
}

/**
 * What a provider knows of a sandbox. `gone` only if the engine says so for this sandbox; `unreachable` if the engine
 * does not answer.
 */
export type SandboxState = "running" | "stopped" | "paused" | "restarting" | "gone" | "unreachable";

/** The byte pipe to an agent process that is being booted. */
export interface AgentPipe {
  /** Standard input and output of the agent process. Writing is held back by the agent's reading, and reverse. */
  readonly pipe: Duplex;
  /** The last bytes that the agent process wrote to standard error, at most 4 KiB. */
  stderrTail(): string;
}

/** What a provider is, for people. */
export interface ProviderDescription {
  /** `docker`, `bubblewrap` or `process`. */
  readonly isolation: string;
  /** One line each: what is weaker than it could be and how to mend it. */
  readonly warnings: readonly string[];
}

/** Why a provider could not do what it was asked. */
export type SandboxFailure =
  /** The engine does not answer. */
  | "engine-unreachable"
  /** The image is not there. */
  | "image-missing"
  /** This sandbox does not exist any more. */
  | "gone"
  /** The sandbox exists but could not be started. */
  | "not-startable"
  /** Anything else. */
  | "internal";

/** A provider could not do what it was asked. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly failure: SandboxFailure;
  /** What an operator can do about it. */
  readonly hint: string;

  constructor(failure: SandboxFailure, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.hint = options.hint ?? "";
  }
}

/** Where things are inside a sandbox of a provider. */
export interface SandboxPaths {
  /** The project's files. */
  readonly workspace: string;
  /** Home directory of commands, on storage that outlives the sandbox. */
  readonly home: string;
  /** A small private directory of the agent, not on the project's storage; programs in it may be run. */
  readonly runtime: string;
}

/** What an agent in a sandbox of a provider has to know besides the paths. */
export interface AgentSurroundings {
  /** Absolute paths below which files may be read. `/` where the sandbox itself is the wall. */
  readonly readRoots: readonly string[];
  /** User id of agent and commands. */
  readonly commandUid: number;
  /** True if every process of that user is in this sandbox, so that a new agent may end what an earlier one left. */
  readonly isUserOwn: boolean;
  /** True if /tmp and all processes of the sandbox end with the agent process. */
  readonly endsWithAgent: boolean;
  /** PATH, USER and whatever else differs between providers, for commands. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes, finds and removes sandboxes. All it must hand over is a byte pipe to the agent process. */
export interface SandboxProvider {
  /** `docker` or `local`. */
  readonly name: string;
  describe(): ProviderDescription;
  /** Throws SandboxError if no sandbox could be made now, with a hint for the operator. */
  check(signal: AbortSignal): Promise<void>;
  paths(key: SandboxKey): SandboxPaths;
  surroundings(key: SandboxKey): AgentSurroundings;
  /**
   * Finds the living sandbox of the project, or makes one with generation `nextGeneration`. A stopped one is started,
   * a paused one unpaused, a restarting one waited for. Without `mayMake`, which is true by default, a sandbox that is not
   * there or goes away meanwhile is SandboxError `gone`. Throws SandboxError.
   */
  getOrCreate(
    key: SandboxKey,
    options: { nextGeneration: number; mayMake?: boolean; signal: AbortSignal },
  ): Promise<Sandbox>;
  /** The sandbox of the project in whatever state; undefined if there is none. Wakes nothing. Throws SandboxError. */
  find(key: SandboxKey): Promise<Sandbox | undefined>;
  /** True if the project has storage, with or without a sandbox. Throws SandboxError. */
  exists(key: SandboxKey): Promise<boolean>;
  /** Never throws: an engine that does not answer is `unreachable`. */
  state(sandbox: Sandbox): Promise<SandboxState>;
  /** Starts a Node process in the sandbox that runs the boot script, and hands over its pipe. Throws SandboxError. */
  bootAgent(sandbox: Sandbox, options: { bootScript: string; signal: AbortSignal }): Promise<AgentPipe>;
  /** Makes the storage of the project writable for commands. Called when an agent reports that it is not. */
  repairStorage?(sandbox: Sandbox, signal: AbortSignal): Promise<void>;
  /**
   * Stops the sandbox and all its processes, to be started again by `getOrCreate`. Left out where a sandbox without an
   * agent costs nothing. A sandbox that is gone is a success.
   */
  stop?(sandboxId: string): Promise<void>;
  /** Ids of the sandboxes of this installation that run, whoever made them. Left out with `stop`. */
  running?(): Promise<readonly string[]>;
  /** Removes the sandbox; the project's files stay. A sandbox that is gone is a success. */
  remove(sandbox: Sandbox): Promise<void>;
  /** Removes the sandbox and the files of a project. */
  destroy(key: SandboxKey): Promise<void>;
  /** Releases what the provider holds; sandboxes of local processes end. */
  close(): Promise<void>;
}
