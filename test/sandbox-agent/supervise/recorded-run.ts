import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ProcessExit,
  ProcessSpec,
  SupervisedRun,
  Supervisor,
} from "../../../src/sandbox-agent/supervise/supervisor.js";

let runs = 0;

/** A text that stands in no other command line of this machine; usable as a number of seconds. */
export function uniqueSeconds(): string {
  return `9${process.pid}${String(++runs).padStart(5, "0")}`;
}

/** A started run and all that its listener heard. */
export interface RecordedRun {
  readonly run: SupervisedRun;
  readonly exit: Promise<ProcessExit>;
  /** Names of the listener's calls in order; repeated output of one stream stands once. */
  readonly log: string[];
  text(stream: "stdout" | "stderr"): string;
  bytes(stream: "stdout" | "stderr"): number;
}

/** What a test varies; a string is a bash script. */
export type RunInput = string | Partial<ProcessSpec>;

function toSpec(input: RunInput): ProcessSpec {
  const given = typeof input === "string" ? { argv: ["bash"], script: Buffer.from(input) } : input;
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  return { runId: `t${process.pid}-${++runs}`, argv: ["bash"], cwd: "/tmp", env, stdin: "none", ...given };
}

/** Starts a run and records it. `keep: false` counts output and forgets it. */
export async function startRecorded(
  supervisor: Supervisor,
  input: RunInput,
  { keep = true }: { keep?: boolean } = {},
): Promise<RecordedRun> {
  const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  const counts = { stdout: 0, stderr: 0 };
  const log: string[] = [];
  let onExit: (exit: ProcessExit) => void = () => undefined;
  const exit = new Promise<ProcessExit>((resolve) => {
    onExit = resolve;
  });
  const run = await supervisor.start(toSpec(input), {
    onStarted: () => log.push("started"),
    onOutput: (stream, data) => {
      if (log.at(-1) !== stream) log.push(stream);
      counts[stream] += data.byteLength;
      if (keep) chunks[stream].push(Buffer.from(data));
    },
    onExit: (value) => {
      log.push("exit");
      onExit(value);
    },
  });
  return {
    run,
    exit,
    log,
    text: (stream) => Buffer.concat(chunks[stream]).toString(),
    bytes: (stream) => counts[stream],
  };
}

/** What a run said and how it ended. */
export interface FinishedRun extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

/** Runs to the exit. */
export async function runToExit(supervisor: Supervisor, input: RunInput): Promise<FinishedRun> {
  const startMs = performance.now();
  const recorded = await startRecorded(supervisor, input);
  const exit = await recorded.exit;
  const elapsedMs = performance.now() - startMs;
  return { ...exit, stdout: recorded.text("stdout"), stderr: recorded.text("stderr"), elapsedMs };
}

/** Process ids whose command line contains `text`. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Resolves when `count` processes have `text` in their command line; rejects after 5 s. */
export async function waitForProcesses(text: string, count: number): Promise<void> {
  const end = performance.now() + 5_000;
  while (processesWith(text).length !== count) {
    if (performance.now() > end)
      throw new Error(`${processesWith(text).length} processes have ${text}, ${count} were expected`);
    await sleep(5);
  }
}

/** Children of a process, by state letter; `Z` is a zombie. */
export function childStates(parentPid: number): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [state = "?", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(parent) === parentPid ? [state] : [];
      } catch {
        return [];
      }
    });
}
