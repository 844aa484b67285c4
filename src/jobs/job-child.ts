import { Socket } from "node:net";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { JobError } from "./job-error.js";
import { encodeFrame, FrameReader, type JobMessage } from "./job-frame.js";
import { startProgram, type JobLimits, type JobProgram } from "./job-program.js";
import { jobReplySchema } from "./job-reply.js";
import { watchMemory } from "./memory-watch.js";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const STDERR_TAIL_UNITS = 4096;
const MEMORY_LOOK_MS = 50;
const OUT_OF_MEMORY = /out of memory|heap limit|bad_alloc|cannot allocate memory|ENOMEM/i;

interface Pending {
  readonly resolve: (message: JobMessage) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The parent's end of one job process, which answers one request at a time. Keeps the event loop alive only
 * while it works or dies. */
export class JobChild {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #limits: JobLimits;
  readonly #reader = new FrameReader(MAX_ANSWER_BYTES);
  /** Resolves when the process has ended, or could not be started. */
  readonly dead: Promise<void>;
  #pending: Pending | undefined;
  #stderrTail = "";
  #alive = true;
  #runs = 0;

  constructor(program: JobProgram, limits: JobLimits) {
    this.#limits = limits;
    this.#process = startProgram(program, limits);
    this.#process.stdin.on("error", (error) => (this.#stderrTail ||= error.message));
    this.#process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#process.stderr.on("data", (chunk: Buffer) => {
      this.#stderrTail = (this.#stderrTail + chunk.toString("latin1")).slice(-STDERR_TAIL_UNITS);
    });
    this.#process.on("error", (error) => {
      this.#stderrTail ||= error.message;
      this.#end("could not be started or killed");
    });
    this.#process.on("close", (code, signal) =>
      this.#end(`ended with ${signal ?? `code ${code ?? "none"}`}`),
    );
    this.dead = new Promise((resolve) => {
      this.#process.once("exit", () => resolve());
      this.#process.once("error", () => resolve());
    });
  }

  /** False once the process has ended or is being killed. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Requests that were begun. */
  get runs(): number {
    return this.#runs;
  }

  /** Asks for one answer. Rejects with JobError or the reason of the signal; unless refused, the process is dead then. */
  async run(request: JobMessage, signal: AbortSignal): Promise<JobMessage> {
    signal.throwIfAborted();
    this.#runs += 1;
    this.#hold(true);
    const { timeoutMs, memoryBytes } = this.#limits;
    const onAbort = () => this.#fail(signal.reason);
    const timer = setTimeout(
      () => this.#fail(new JobError("timeout", `the job took longer than the limit of ${timeoutMs} ms`)),
      timeoutMs,
    );
    const stopWatch = watchMemory({
      pid: this.#process.pid ?? 0,
      maxBytes: memoryBytes,
      intervalMs: MEMORY_LOOK_MS,
      onExceeded: (bytes) => this.#fail(memoryError(bytes, memoryBytes)),
    });
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await new Promise<JobMessage>((resolve, reject) => {
        this.#pending = { resolve, reject };
        for (const part of encodeFrame(request)) this.#process.stdin.write(part);
      });
    } finally {
      this.#pending = undefined;
      clearTimeout(timer);
      stopWatch();
      signal.removeEventListener("abort", onAbort);
      if (this.#alive) this.#hold(false);
      else await this.dead;
    }
  }

  /** Kills the process. A request that is under way rejects with `reason`. */
  kill(reason: unknown): void {
    this.#fail(reason);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const { header, body } of this.#reader.push(chunk)) this.#settle(header, body);
    } catch (cause) {
      this.#fail(
        new JobError("crash", "the job gave a malformed answer", { cause, detail: this.#stderrTail }),
      );
    }
  }

  #settle(header: unknown, body: Uint8Array): void {
    const reply = jobReplySchema.parse(header);
    if (reply.status === "done") {
      this.#pending?.resolve({ header: reply.result, body });
    } else if (reply.status === "refused") {
      this.#pending?.reject(new JobError("refused", reply.message));
    } else {
      const kind = OUT_OF_MEMORY.test(reply.message) ? "memory" : "crash";
      this.#fail(new JobError(kind, "the job failed", { detail: reply.message }));
    }
  }

  #end(how: string): void {
    const detail = this.#stderrTail;
    const kind = OUT_OF_MEMORY.test(detail) ? "memory" : "crash";
    this.#fail(new JobError(kind, `the process of the job ${how}`, { detail }));
  }

  #fail(error: unknown): void {
    this.#alive = false;
    this.#hold(true);
    this.#process.kill("SIGKILL");
    this.#pending?.reject(error);
  }

  /** Says whether the process and its pipes keep the event loop alive. */
  #hold(on: boolean): void {
    const { stdin, stdout, stderr } = this.#process;
    const pipes = [stdin, stdout, stderr].filter((pipe) => pipe instanceof Socket);
    for (const handle of [this.#process, ...pipes]) {
      if (on) handle.ref();
      else handle.unref();
    }
  }
}

function memoryError(bytes: number, maxBytes: number): JobError {
  const mebibytes = (count: number) => Math.round(count / 1024 / 1024);
  return new JobError(
    "memory",
    `the job needed ${mebibytes(bytes)} MiB, above the limit of ${mebibytes(maxBytes)} MiB`,
  );
}
