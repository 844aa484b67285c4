import { spawn } from "node:child_process";
import { once } from "node:events";

/** How a check ended. */
export interface CheckEnd {
  /** Its last 4,096 characters. */
  readonly stdout: string;
  /** Its last 4,096 characters. */
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True if it was killed because its time was over. */
  readonly late: boolean;
}

const OUTPUT_UNITS = 4096;
const NO_CORE_DUMP = 'ulimit -c 0; exec "$@"';

/** Runs a script in Node with an empty environment and no core dumps. Rejects if it cannot be started. */
export async function runCheck(
  args: readonly string[],
  { timeoutMs }: { timeoutMs: number },
): Promise<CheckEnd> {
  const child = spawn("/bin/sh", ["-c", NO_CORE_DUMP, "check", process.execPath, ...args], {
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tails = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      tails[name] = (tails[name] + chunk.toString()).slice(-OUTPUT_UNITS);
    });
  const started = performance.now();
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    const late = signal === "SIGKILL" && performance.now() - started >= timeoutMs;
    return { ...tails, code, signal, late };
  } finally {
    clearTimeout(timer);
  }
}
