import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

/** A job's program and how Node runs it. */
export interface JobProgram {
  /** Absolute path of the script. */
  readonly scriptPath: string;
  /** Arguments of Node before the script, such as `--import tsx`. Default: none. */
  readonly execArgv?: readonly string[];
}

/** What a job may use. */
export interface JobLimits {
  /** Longest time from the start of a request to its answer, in ms. */
  readonly timeoutMs: number;
  /** Most resident bytes of the process. */
  readonly memoryBytes: number;
  /** Most MiB of JavaScript objects. */
  readonly heapMiB: number;
}

/**
 * Room above `memoryBytes` for memory that is taken between two looks at it, and for what Node sets aside without using
 * it: 0.6 GB in Node 24.
 */
const DATA_MARGIN_BYTES = 1024 * 1024 * 1024;
const LIMITED_EXEC = 'ulimit -c 0; ulimit -d "$0" 2>/dev/null; exec "$@"';

/**
 * Starts a job's process with an empty environment, no core dumps and a hard limit on its private memory. It is started
 * through `/bin/sh`, which sets the limits and becomes Node. Where the system has set a lower hard limit, that one holds.
 */
export function startProgram(program: JobProgram, limits: JobLimits): ChildProcessWithoutNullStreams {
  const dataKiB = Math.ceil((limits.memoryBytes + DATA_MARGIN_BYTES) / 1024);
  const node = [
    process.execPath,
    `--max-old-space-size=${limits.heapMiB}`,
    ...(program.execArgv ?? []),
    program.scriptPath,
  ];
  return spawn("/bin/sh", ["-c", LIMITED_EXEC, String(dataKiB), ...node], { env: {}, stdio: "pipe" });
}
