/** What the service tells an agent when it boots it. Travels as JSON. */
export interface AgentConfig {
  /** Absolute path of the project's files inside the sandbox. */
  readonly workspaceRoot: string;
  /** Other absolute paths by which callers may name the workspace, such as `/workspace`. */
  readonly workspaceAliases: readonly string[];
  /** Home directory of commands. */
  readonly homeDir: string;
  /** A small private directory of the agent; programs in it may be run. */
  readonly runtimeDir: string;
  /** The base environment of commands. `HOME` is added; without a `PATH` the usual one is. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute paths below which files may be read. `/` where the sandbox itself is the wall. */
  readonly readRoots: readonly string[];
  /** User id of agent and commands. */
  readonly commandUid: number;
  /**
   * True: kill every other process of `commandUid` at start, which an earlier agent left. Only where all of them are in
   * this sandbox. Not done by an agent that has another user id, or that of root.
   */
  readonly sweep: boolean;
  /** Most bytes of the workspace and the home directory together. 0: any number. */
  readonly quotaBytes: number;
  /** Bytes of the disk that are kept free for others. 0: none. */
  readonly reserveBytes: number;
  /** Longest wait for the first request, in ms: an engine may never tell the agent that the service has died meanwhile. */
  readonly firstRequestMs: number;
  /** How long artifacts are kept, in ms. */
  readonly artifactMs: number;
  /** Most bytes of all artifacts; the oldest go first. */
  readonly artifactBytes: number;
  /**
   * Port of the loopback for the proxy to the outside, whose variables are added to `env`; 0 is any free one, which is also
   * taken if the port is not free. Default: no proxy.
   */
  readonly proxyPort?: number;
}
