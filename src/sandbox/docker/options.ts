import type Docker from "dockerode";

/** Options of the docker provider. */
export interface DockerProviderOptions {
  /** Image of the sandboxes; it must have `node`, `sh`, `sleep`, `grep` and `chown` in its PATH. */
  readonly image: string;
  /**
   * Name of the installation that owns the sandboxes. Services that share their state share it; a sandbox of another
   * installation is never touched.
   */
  readonly instance: string;
  /** The engine's socket. Default `/var/run/docker.sock`. Not used with `docker`. */
  readonly socketPath?: string;
  /** A client of an engine elsewhere. */
  readonly docker?: Docker;
  /** Memory of a sandbox, swap included, in bytes. Default 2 GiB. */
  readonly memoryBytes?: number;
  /** Processors of a sandbox; capped by what the engine has. Default 2. */
  readonly cpus?: number;
  /** Processes and threads of a sandbox. Default 512. */
  readonly pidsLimit?: number;
  /**
   * A container in which no agent has lived for this long ends by itself, in ms: that of a service that died and does
   * not come back. Default 2,100,000.
   */
  readonly leaseMs?: number;
  /** `none`, or a network of the engine. Default `none`. */
  readonly network?: string;
  /** A runtime that the engine knows, such as `runsc`. Default: the engine's own. */
  readonly runtime?: string;
  /** Variables added to the environment of the agent process and of commands. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit of a short engine request, in ms. Default 10,000. */
  readonly requestTimeoutMs?: number;
  /** Time limit for making or reviving a sandbox, in ms. Default 60,000. */
  readonly startTimeoutMs?: number;
}

/** The options with every default filled in. */
export interface DockerSettings {
  readonly image: string;
  readonly instance: string;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pidsLimit: number;
  readonly leaseMs: number;
  readonly network: string;
  readonly runtime: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly requestTimeoutMs: number;
  readonly startTimeoutMs: number;
}

const GIB = 1024 ** 3;

/** Fills in the defaults. */
export function dockerSettings(options: DockerProviderOptions): DockerSettings {
  return {
    image: options.image,
    instance: options.instance,
    memoryBytes: options.memoryBytes ?? 2 * GIB,
    cpus: options.cpus ?? 2,
    pidsLimit: options.pidsLimit ?? 512,
    leaseMs: options.leaseMs ?? 2_100_000,
    network: options.network ?? "none",
    runtime: options.runtime,
    env: options.env ?? {},
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    startTimeoutMs: options.startTimeoutMs ?? 60_000,
  };
}
