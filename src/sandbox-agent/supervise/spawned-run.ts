import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { killRunProcesses } from "./kill-processes.js";
import { OutputGate } from "./output-gate.js";
import { QuietDrain } from "./quiet-drain.js";
import { findRunProcesses, type RunTrace } from "./run-processes.js";
import type { ProcessExit, ProcessListener, SupervisedRun } from "./supervisor.js";

const QUIET_MS = 50;
const DRAIN_MS = 250;
const LOOK_MS = 250;

/** What a run is made of. */
export interface SpawnedRunOptions {
  /** Has been spawned, detached, with pipes for standard output and error. */
  readonly child: ChildProcess;
  readonly trace: RunTrace;
  readonly listener: ProcessListener;
  /** Called once when the process itself has ended. */
  readonly onProcessEnd: () => void;
}

/** A run that is held together by its process group and its marker. */
export class SpawnedRun implements SupervisedRun {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #trace: RunTrace;
  readonly #listener: ProcessListener;
  readonly #gate: OutputGate;
  readonly #drain: QuietDrain;
  readonly #pipes: readonly Readable[];
  #openPipes: number;
  #status: Pick<ProcessExit, "code" | "signal"> = {};
  #processEnded = false;
  #held = false;
  #drained = false;
  #exitTold = false;
  #over = false;
  #killing: { atMs: number; done: Promise<number> } | undefined;
  #killed = 0;
  #lookTimer: NodeJS.Timeout | undefined;
  #settleEnd: () => void = () => undefined;

  constructor({ child, trace, listener, onProcessEnd }: SpawnedRunOptions) {
    this.#child = child;
    this.#trace = trace;
    this.#listener = listener;
    this.ended = new Promise((resolve) => (this.#settleEnd = resolve));
    this.#gate = new OutputGate({ onOutput: (stream, data) => listener.onOutput(stream, data) });
    this.#gate.setOpen(true);
    this.#drain = new QuietDrain({
      quietMs: QUIET_MS,
      limitMs: DRAIN_MS,
      onDrained: () => void this.#finish(),
    });
    const streams = { stdout: child.stdout, stderr: child.stderr };
    this.#pipes = Object.values(streams).filter((pipe) => pipe !== null);
    this.#openPipes = this.#pipes.length;
    this.#listen("stdout", streams.stdout);
    this.#listen("stderr", streams.stderr);
    child.stdin?.on("error", () => child.stdin?.destroy());
    child.once("exit", (code, signal) => {
      this.#processEnded = true;
      this.#status = signal !== null ? { signal } : code !== null ? { code } : {};
      onProcessEnd();
      this.#lookIn(this.#killed > 0 ? 0 : LOOK_MS);
      this.#drain.start();
      if (this.#openPipes === 0) this.#drain.complete();
    });
  }

  pause(): void {
    if (!this.#exitTold) this.#setHeld(true);
  }

  resume(): void {
    this.#setHeld(false);
  }

  writeStdin(data: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (stdin === null || !stdin.writable || stdin.write(data)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        stdin.off("drain", done).off("close", done);
        this.#child.off("exit", done);
        resolve();
      };
      stdin.on("drain", done).on("close", done);
      this.#child.on("exit", done);
    });
  }

  endStdin(): void {
    this.#child.stdin?.end();
  }

  kill({ graceMs }: { graceMs: number }): Promise<number> {
    if (this.#over) return Promise.resolve(0);
    const atMs = graceMs > 0 ? performance.now() + graceMs : 0;
    if (this.#killing !== undefined) {
      this.#killing.atMs = Math.min(this.#killing.atMs, atMs);
      return this.#killing.done;
    }
    const killing = { atMs, done: Promise.resolve(0) };
    killing.done = killRunProcesses(this.#trace, { killAtMs: () => killing.atMs }).then((killed) => {
      this.#killed += killed;
      this.#killing = undefined;
      if (this.#processEnded) this.#lookIn(0);
      return killed;
    });
    this.#killing = killing;
    return killing.done;
  }

  #setHeld(held: boolean): void {
    this.#held = held;
    this.#drain.setHeld(held);
    this.#gate.setOpen(!held);
    for (const pipe of this.#pipes)
      if (held && !this.#drained) pipe.pause();
      else pipe.resume();
  }

  #listen(stream: "stdout" | "stderr", pipe: Readable | null): void {
    pipe?.on("data", (data: Buffer) => {
      if (this.#drained) return;
      this.#drain.sawOutput();
      if (this.#held) pipe.pause();
      this.#gate.push(stream, data);
    });
    pipe?.once("close", () => {
      if (--this.#openPipes === 0) this.#drain.complete();
    });
  }

  async #finish(): Promise<void> {
    this.#drained = true;
    for (const pipe of this.#pipes) pipe.resume();
    await this.#killing?.done;
    const processesLeft = findRunProcesses(this.#trace).length;
    this.#gate.finish(() => {
      this.#exitTold = true;
      this.#listener.onExit({ ...this.#status, processesKilled: this.#killed, processesLeft });
    });
    this.#saw(processesLeft);
  }

  /** Looks later whether a process lives; after the exit only. */
  #lookIn(delayMs: number): void {
    clearTimeout(this.#lookTimer);
    this.#lookTimer = setTimeout(() => this.#saw(findRunProcesses(this.#trace).length), delayMs);
  }

  #saw(processesLeft: number): void {
    if (processesLeft > 0) {
      this.#lookIn(LOOK_MS);
      return;
    }
    clearTimeout(this.#lookTimer);
    this.#over = true;
    this.#settleEnd();
  }
}
