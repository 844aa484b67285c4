import { randomUUID } from "node:crypto";
import type { Workspace } from "./workspace.js";

/** Options of runProgram. */
export interface ProgramOptions {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute, or relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
  readonly signal: AbortSignal;
  /** Hears standard output. While a returned promise is pending, the program is held back. Default: it is kept. */
  readonly onOutput?: (data: Uint8Array) => void | Promise<void>;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined if a signal ended it. */
  readonly code: number | undefined;
  /** At most 1 MiB. */
  readonly stdout: string;
  /** At most 64 KiB. */
  readonly stderr: string;
}

const MAX_STDOUT_BYTES = 1024 * 1024;
const MAX_STDERR_BYTES = 64 * 1024;

/** Runs a small program of the service's own in the sandbox, as the user of commands. Throws AgentFailure, SandboxLost. */
export async function runProgram(workspace: Workspace, options: ProgramOptions): Promise<ProgramEnd> {
  const { argv, env, cwd, signal, onOutput } = options;
  const stdout = new Head(MAX_STDOUT_BYTES);
  const stderr = new Head(MAX_STDERR_BYTES);
  const exit = await workspace.processes.run({
    runId: `service.${randomUUID()}`,
    argv,
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    signal,
    killGraceMs: 0,
    onOutput(stream, data) {
      if (stream === "stderr") stderr.add(data);
      else if (onOutput === undefined) stdout.add(data);
      else return onOutput(data);
      return undefined;
    },
  });
  signal.throwIfAborted();
  const code = exit.status.case === "code" ? exit.status.value : undefined;
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The beginning of a text that comes in pieces. */
class Head {
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString();
  }

  add(data: Uint8Array): void {
    const kept = data.subarray(0, this.#maxBytes - this.#bytes);
    this.#pieces.push(kept);
    this.#bytes += kept.byteLength;
  }
}
