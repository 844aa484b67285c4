import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A service in a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Resident memory in bytes. */
  residentBytes(): Promise<number>;
}

/** Starts the built service on any free port, ended when the running test ends. */
export async function serviceProcessForTest(
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const program = fileURLToPath(new URL("../../dist/handrail.js", import.meta.url));
  const child = spawn(process.execPath, [program, "serve"], {
    env: { PATH: process.env["PATH"], HANDRAIL_PORT: "0", HANDRAIL_DRAIN_MS: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said = (said + data.toString()).slice(-2000)));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /serves at (\S+)/.exec(line)?.[1];
    const { pid } = child;
    if (url === undefined || pid === undefined) continue;
    child.stdout.resume();
    return {
      url,
      pid,
      ended,
      async residentBytes() {
        const status = await readFile(`/proc/${pid}/status`, "utf8");
        return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
      },
    };
  }
  throw new Error(`the service ended before it listened: ${said}`);
}
