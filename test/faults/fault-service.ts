import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/handrail.js", import.meta.url));

/** The built service in a process of its own, which is killed and started again on the same state. */
export class FaultService {
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #isOver = false;
  #url: string | undefined;
  readonly #waiting: ((url: string) => void)[] = [];
  #said = "";

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  /** Where it listens; while it is down, where it will when it is back. */
  get url(): Promise<string> {
    if (this.#url !== undefined) return Promise.resolve(this.#url);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Starts it and waits until it listens. Throws if it does not, or is over. */
  async start(): Promise<void> {
    if (this.#isOver) throw new Error("the service is over");
    const child = spawn(process.execPath, [program, "serve"], {
      env: {
        PATH: process.env["PATH"],
        HANDRAIL_PORT: "0",
        HANDRAIL_DRAIN_MS: "0",
        HANDRAIL_LOG_LEVEL: "warn",
        ...this.#environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stderr.on("data", (data: Buffer) => (this.#said = (this.#said + data.toString()).slice(-4000)));
    for await (const line of createInterface(child.stdout)) {
      const url = /serves at (\S+)/.exec(line)?.[1];
      if (url === undefined) continue;
      child.stdout.resume();
      this.#url = url;
      for (const resolve of this.#waiting.splice(0)) resolve(url);
      return;
    }
    throw new Error(`the service ended before it listened: ${this.#said}`);
  }

  /** Ends it with SIGKILL. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Ends it for good. */
  async dispose(): Promise<void> {
    this.#isOver = true;
    await this.kill();
  }

  /** Lets it end by itself. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    this.#url = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}
