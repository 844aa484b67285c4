import { getSystemErrorName } from "node:util";
import type { Frame } from "./frame-reader.js";
import {
  Command,
  encodeFrame,
  encodeNumbers,
  OUTPUT_WINDOW_BYTES,
  Report,
  STDIN_WINDOW_BYTES,
} from "./frames.js";
import { killRunProcesses, sendSignal } from "./kill-processes.js";
import { KillRequests } from "./kill-requests.js";
import { encodeLaunchRequest } from "./launch-request.js";
import { OutputGate } from "./output-gate.js";
import { markedEnvironment } from "./run-environment.js";
import { signalName } from "./signal-name.js";
import { START_STAGES, startFailure } from "./start-failure.js";
import { StdinWindow } from "./stdin-window.js";
import type { Closing, SupervisorLink } from "./supervisor-link.js";
import {
  type ProcessExit,
  type ProcessListener,
  type ProcessSpec,
  StartError,
  type SupervisedRun,
} from "./supervisor.js";

/** Time that a supervisor process has for a kill, on top of the grace, before it is given up. */
const ANSWER_MS = 1_500;
const MAX_GRACE_MS = 2 ** 31 - 1 - ANSWER_MS;

/** A connection ends so if its other end was closed before it had read all: what was asked was not begun. */
const UNREAD = new Set(["ECONNRESET", "EPIPE"]);

/** The launcher does not answer; nothing was started. */
export class LauncherUnreachable extends Error {
  override readonly name = "LauncherUnreachable";
}

/** What a run is started with. */
export interface LaunchedRunOptions {
  /** Where the run is asked for; its own from then on. */
  readonly link: SupervisorLink;
  /** Longest time from the request to the running process. */
  readonly startTimeoutMs: number;
  readonly spec: ProcessSpec;
  readonly listener: ProcessListener;
}

/** A run that a supervisor process of the launcher keeps. */
export class LaunchedRun implements SupervisedRun {
  /** Resolves when the process runs. Rejects with StartError or LauncherUnreachable. */
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  readonly #spec: ProcessSpec;
  readonly #listener: ProcessListener;
  readonly #link: SupervisorLink;
  readonly #gate: OutputGate;
  readonly #stdin: StdinWindow;
  readonly #kills = new KillRequests();
  #settleStart: (error?: Error) => void = () => undefined;
  #settleEnd: () => void = () => undefined;
  #phase: "starting" | "running" | "exited" | "over" = "starting";
  #callerHasRun = false;
  #paused = false;
  #exitTold = false;
  #supervisorPid = 0;
  #answerBy: { atMs: number; timer: NodeJS.Timeout } | undefined;

  #unanswered = false;
  #startTimer: NodeJS.Timeout;

  /** Starts at once. Throws StartError if the spec cannot be handed to a process. */
  constructor({ link, startTimeoutMs, spec, listener }: LaunchedRunOptions) {
    const request = encodeLaunchRequest(spec, { env: markedEnvironment(spec) });
    this.#spec = spec;
    this.#listener = listener;
    this.started = new Promise((resolve, reject) => {
      this.#settleStart = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.ended = new Promise((resolve) => (this.#settleEnd = resolve));
    this.#link = link;
    link.listen({
      onFrame: (frame) => this.#receive(frame),
      onClosed: (closing) => void this.#close(closing),
    });
    this.#gate = new OutputGate({
      onOutput: (stream, data) => listener.onOutput(stream, data),
      credit: {
        everyBytes: OUTPUT_WINDOW_BYTES / 2,
        grant: (bytes) => this.#link.send(encodeNumbers(Command.credit, bytes)),
      },
    });
    this.#stdin = new StdinWindow({
      windowBytes: STDIN_WINDOW_BYTES,
      send: (bytes) => this.#link.send(encodeFrame(Command.stdin, bytes)),
      sendEnd: () => this.#link.send(encodeNumbers(Command.stdinEnd)),
    });
    this.#link.send(request);
    this.#startTimer = setTimeout(() => {
      this.#unanswered = true;
      this.#link.close();
    }, startTimeoutMs);
  }

  /** True if the launcher took the request and did not answer in time. */
  get unanswered(): boolean {
    return this.#unanswered;
  }

  pause(): void {
    this.#paused = !this.#exitTold;
    this.#moveGate();
  }

  resume(): void {
    this.#paused = false;
    this.#moveGate();
  }

  writeStdin(data: Uint8Array): Promise<void> {
    return this.#stdin.write(data);
  }

  endStdin(): void {
    this.#stdin.end();
  }

  kill({ graceMs }: { graceMs: number }): Promise<number> {
    if (this.#phase === "over") return Promise.resolve(0);
    const grace = Math.min(Math.max(0, Math.ceil(graceMs)), MAX_GRACE_MS);
    this.#link.send(encodeNumbers(Command.terminate, grace));
    const atMs = performance.now() + grace + ANSWER_MS;
    if (this.#answerBy === undefined || atMs < this.#answerBy.atMs) {
      clearTimeout(this.#answerBy?.timer);
      this.#answerBy = { atMs, timer: setTimeout(() => this.#giveUpSupervisor(), grace + ANSWER_MS) };
    }
    return this.#kills.add();
  }

  #receive({ type, payload }: Frame): void {
    const number = (index: number): number => payload.readUInt32LE(index * 4);
    if (type === Report.stdout) this.#gate.push("stdout", payload);
    else if (type === Report.stderr) this.#gate.push("stderr", payload);
    else if (type === Report.started) this.#begin({ pid: number(0), supervisorPid: number(1) });
    else if (type === Report.failed) this.#fail({ stage: number(0), errno: number(1) });
    else if (type === Report.exit)
      this.#exit({ bySignal: number(0) === 1, value: number(1), left: number(2) });
    else if (type === Report.killed) this.#kills.answer(number(0));
    else if (type === Report.stdinTaken) this.#stdin.taken(number(0));
    else if (type === Report.gone) this.#end();
  }

  #begin({ pid, supervisorPid }: { pid: number; supervisorPid: number }): void {
    clearTimeout(this.#startTimer);
    this.#phase = "running";
    this.#supervisorPid = supervisorPid;
    this.#listener.onStarted(pid, supervisorPid);
    this.#settleStart();
    setImmediate(() => {
      this.#callerHasRun = true;
      this.#moveGate();
    });
  }

  #moveGate(): void {
    this.#gate.setOpen(this.#callerHasRun && !this.#paused);
  }

  #fail({ stage, errno }: { stage: number; errno: number }): void {
    const failure = { stage: START_STAGES[stage - 1] ?? "request", code: getSystemErrorName(-errno) };
    this.#settleStart(startFailure(this.#spec, failure));
    this.#end();
  }

  #exit({ bySignal, value, left }: { bySignal: boolean; value: number; left: number }): void {
    const status = bySignal ? { signal: signalName(value) } : { code: value };
    this.#tellExit({ ...status, processesKilled: this.#kills.total, processesLeft: left });
  }

  #tellExit(exit: ProcessExit): void {
    if (this.#phase !== "running") return;
    this.#phase = "exited";
    this.#stdin.close();
    this.#gate.finish(() => {
      this.#exitTold = true;
      this.#listener.onExit(exit);
    });
  }

  #end(): void {
    this.#phase = "over";
    clearTimeout(this.#startTimer);
    clearTimeout(this.#answerBy?.timer);
    this.#kills.answer(0);
    this.#stdin.close();
    this.#link.close();
    this.#settleEnd();
  }

  #giveUpSupervisor(): void {
    sendSignal(this.#supervisorPid, "SIGKILL");
    this.#link.close();
  }

  async #close({ connected, error }: Closing): Promise<void> {
    if (this.#phase === "over") return;
    const requestUnread = error !== undefined && UNREAD.has(error);
    if (!connected || (this.#phase === "starting" && requestUnread)) {
      this.#settleStart(
        error === "EAGAIN"
          ? startFailure(this.#spec, { stage: "fork", code: error })
          : new LauncherUnreachable(`the launcher does not answer (${error ?? "closed"})`),
      );
      this.#end();
      return;
    }
    this.#kills.answer(await killRunProcesses({ runId: this.#spec.runId }));
    const what = this.#unanswered ? "did not answer" : "ended";
    this.#settleStart(new StartError("internal", `the launcher ${what} while the process was being started`));
    this.#tellExit({ processesKilled: this.#kills.total, processesLeft: 0 });
    this.#end();
  }
}
