import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { SandboxLost } from "../../workspace/workspace.js";
import type { ToolContext } from "../define.js";
import { RecordSplitter } from "./record-splitter.js";
import type { StreamRecord } from "./record-splitter.js";
import { RipgrepNotes } from "./ripgrep-notes.js";
import { refused } from "./search-refused.js";

/** Most bytes of one record that are held; longer ones come without their middle. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Options of every search: what it reads never depends on settings in the sandbox, and it says what it leaves out. */
const COMMON_ARGUMENTS = [
  "--no-config",
  "--no-ignore-global",
  "--no-require-git",
  "--color=never",
  "--hidden",
  "--glob=!.git",
  "--debug",
];

/** How a run of ripgrep ended. */
export interface RipgrepEnd {
  /** `complete` by itself, `enough` because it was told to stop, `aborted` because the call is over. */
  readonly how: "complete" | "enough" | "aborted";
  /** Exit code 2: something could not be done. */
  readonly failed: boolean;
  readonly notes: RipgrepNotes;
}

/** Options of runRipgrep. */
export interface RipgrepOptions {
  /** Name of the tool, for error codes. */
  readonly tool: string;
  /** Tells the runs of one call apart. */
  readonly name: string;
  readonly arguments: readonly string[];
  /** The place to search. */
  readonly place: string;
  /** True to search also what ignore rules leave out. */
  readonly ignored: boolean;
  /** The byte that ends a record. */
  readonly separator: number;
  /** Hears each record; `true` means that this is enough. */
  readonly onRecord: (record: StreamRecord) => boolean;
}

/** Runs ripgrep in the sandbox. Throws SearchRefused if it cannot be run, SandboxLost. */
export async function runRipgrep(
  { workspace, ...context }: ToolContext<"workspace">,
  options: RipgrepOptions,
): Promise<RipgrepEnd> {
  const enough = new AbortController();
  const notes = new RipgrepNotes();
  const stdout = new RecordSplitter({
    separator: options.separator,
    maxBytes: MAX_RECORD_BYTES,
    onRecord(record) {
      if (!enough.signal.aborted && options.onRecord(record)) enough.abort();
    },
  });
  const stderr = new RecordSplitter({
    separator: 0x0a,
    maxBytes: 64 * 1024,
    onRecord: ({ data }) => notes.hear(data.toString()),
  });
  const ending = (failed: boolean): RipgrepEnd => ({
    how: enough.signal.aborted ? "enough" : context.signal.aborted ? "aborted" : "complete",
    failed,
    notes,
  });
  try {
    const exit = await workspace.processes.run({
      runId: `${context.callId}.${context.attempt}.${options.name}`,
      argv: [
        "rg",
        ...COMMON_ARGUMENTS,
        ...(options.ignored ? ["--no-ignore"] : []),
        ...options.arguments,
        "--",
        options.place,
      ],
      signal: AbortSignal.any([context.signal, enough.signal]),
      killGraceMs: 0,
      onOutput: (stream, data) => (stream === "stdout" ? stdout : stderr).push(data),
    });
    stdout.finish();
    stderr.finish();
    const end = ending(exit.status.case === "code" && exit.status.value === 2);
    if (end.how === "complete" && exit.status.case !== "code") throw interrupted(options.tool, exit.oom);
    return end;
  } catch (error) {
    if (error instanceof AgentFailure) throw notStarted(options.tool, error);
    if (error instanceof SandboxLost) throw error;
    if (enough.signal.aborted || context.signal.aborted) return ending(false);
    throw error;
  }
}

function interrupted(tool: string, oom: boolean) {
  return refused({
    code: `${tool}.interrupted`,
    retryable: true,
    message: oom
      ? "The search was killed because the sandbox ran out of memory."
      : "The search was killed by something in the sandbox.",
    hint: "Search a smaller part, or try again.",
  });
}

function notStarted(tool: string, { detail }: AgentFailure) {
  if (detail.kind === ErrorKind.RESOURCES) {
    return refused({
      code: `${tool}.resources`,
      retryable: true,
      message: "No further process can be started in the sandbox: its process or memory limit is reached.",
      hint: "Stop what earlier calls have left running.",
    });
  }
  if (detail.kind === ErrorKind.INVALID) {
    return refused({
      code: `${tool}.ripgrep_missing`,
      fixBy: "operator",
      message: "Searching needs ripgrep, and the sandbox has no program `rg`.",
      hint: "Install ripgrep where sandboxes run: in the sandbox image, or on the machine for local sandboxes.",
    });
  }
  return refused({
    code: `${tool}.not_started`,
    fixBy: "operator",
    message: `ripgrep could not be started: ${detail.message}`,
  });
}
