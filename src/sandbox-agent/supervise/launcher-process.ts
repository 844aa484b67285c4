import { type ChildProcessByStdio, spawn } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { isForeignProgram } from "./foreign-program.js";

const READY_MS = 5_000;
const STOP_MS = 6_000;

/** Options of LauncherProcess.boot. */
export interface LauncherProcessOptions {
  /** Absolute path of a private directory whose files may be run. */
  readonly directory: string;
  /** The native launcher. */
  readonly binary: Uint8Array;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** The launcher, running. */
export class LauncherProcess {
  /** Where it listens. */
  readonly socketPath: string;
  /** Resolves when it has ended. Never rejects. */
  readonly exited: Promise<void>;
  readonly #child: Child;
  readonly #binaryPath: string;
  #alive = true;
  #said = "";

  private constructor(child: Child, { directory, binaryPath }: { directory: string; binaryPath: string }) {
    this.#child = child;
    this.#binaryPath = binaryPath;
    this.socketPath = join(directory, "launch.sock");
    child.stderr.on("data", (text: Buffer) => (this.#said = (this.#said + text.toString()).slice(-1024)));
    child.stdin.on("error", () => child.stdin.destroy());
    this.exited = new Promise((resolve) => {
      const end = (): void => {
        this.#alive = false;
        resolve();
      };
      child.once("exit", end);
      child.once("error", (error) => {
        this.#said = error.message;
        if (child.pid === undefined) end();
      });
    });
  }

  /** Writes the binary to the directory, starts it and waits until it listens. Throws Error with the reason. */
  static async boot({ directory, binary }: LauncherProcessOptions): Promise<LauncherProcess> {
    if (isForeignProgram(binary)) throw new Error("it was built for another kind of machine");
    const binaryPath = join(directory, "launcher");
    rmSync(binaryPath, { force: true });
    writeFileSync(binaryPath, binary, { mode: 0o700, flag: "wx" });
    chmodSync(binaryPath, 0o700);
    const child = spawn(binaryPath, [directory], { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe"] });
    const launcher = new LauncherProcess(child, { directory, binaryPath });
    await launcher.#ready();
    return launcher;
  }

  /** False once it has ended. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Process id, for tests and for people. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Ends it and all runs. Resolves when it has ended. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    this.#child.stdin.end();
    this.#child.kill("SIGCONT");
    await this.exited;
    clearTimeout(timer);
  }

  /** Ends it at once, also if it does not react; its supervisors end their runs. */
  kill(): void {
    this.#alive = false;
    this.#child.kill("SIGKILL");
  }

  /** Removes what it left in its directory. Only after it has ended. */
  removeFiles(): void {
    rmSync(this.#binaryPath, { force: true });
    rmSync(this.socketPath, { force: true });
  }

  async #ready(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const ready = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), READY_MS);
      this.#child.stdout.once("data", () => resolve(true));
      this.#child.once("close", () => resolve(false));
      this.#child.once("error", () => resolve(false));
    });
    const isReady = await ready;
    clearTimeout(timer);
    if (isReady) return;
    const reason = this.#said.trim() || (this.#alive ? `not ready after ${READY_MS} ms` : "it ended at once");
    this.#child.kill("SIGKILL");
    throw new Error(reason);
  }
}
