import { z } from "zod";
import { toolError } from "../../domain/tool-result.js";
import type { ArtifactReference, ToolResult } from "../../domain/tool-result.js";
import { AgentFailure } from "../../sandbox/channel/agent-client.js";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { RunExit } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { artifactFile, artifactIdOf } from "../../workspace/artifacts.js";
import { defineTool } from "../define.js";
import type { AnyTool, ToolContext } from "../define.js";
import { InterruptedWork } from "../interrupted-work.js";
import { bashResult, stoppedEarly } from "./bash-result.js";
import { OutputText } from "./output-text.js";

/** What bash takes from the configuration. */
export interface BashOptions {
  /** Run limit if the call sets none, in ms. */
  readonly defaultTimeoutMs: number;
  /** Highest run limit, in ms. */
  readonly maxTimeoutMs: number;
}

/** Most bytes of a command. */
const MAX_COMMAND_BYTES = 1024 * 1024;

/** Below this a timeout was probably meant in seconds. */
const SUSPICIOUS_TIMEOUT_MS = 1000;

function inputSchema({ defaultTimeoutMs, maxTimeoutMs }: BashOptions) {
  return z.strictObject({
    command: z
      .string()
      .min(1, "is empty; send the command to run")
      .refine((text) => Buffer.byteLength(text) <= MAX_COMMAND_BYTES, {
        error: `has more than ${MAX_COMMAND_BYTES} bytes; write it to a file and run that`,
      })
      .refine((text) => !text.includes("\0"), { error: "has a NUL character, which no shell takes" })
      .describe("The command, as in a script: several lines, pipes, heredocs and & all work."),
    timeout: z
      .number()
      .int("must be a whole number of milliseconds")
      .min(1, "must be 1 ms or more; leave it out for the default")
      .optional()
      .describe(
        `Longest run in milliseconds. Default ${defaultTimeoutMs}, at most ${maxTimeoutMs}; a higher value is lowered to that.`,
      ),
    cwd: z
      .string()
      .min(1, "is empty; leave it out for the workspace")
      .refine((text) => !text.includes("\0"), { error: "has a NUL character" })
      .optional()
      .describe("Working directory, absolute or relative to the workspace. Default: the workspace."),
    description: z
      .string()
      .max(500, "has more than 500 characters")
      .optional()
      .describe("What the command does, in a few words, for people who watch."),
  });
}

type BashInput = z.infer<ReturnType<typeof inputSchema>>;

/** The tool that runs a command in the sandbox. */
export function createBash(options: BashOptions): AnyTool {
  return defineTool({
    name: "bash",
    description:
      "Run a command with bash in the project's sandbox and get its output and exit code. Each call has a shell of its " +
      "own that starts in the workspace: variables and cd do not last, files do. Standard input is empty, so " +
      "commands that ask questions do not work. Processes started with & live on after the call. Long output is cut " +
      `in the middle. Runs for at most ${options.defaultTimeoutMs} ms unless timeout is set.`,
    input: inputSchema(options),
    effect: "execute",
    limits: {
      defaultMs: options.defaultTimeoutMs,
      maxMs: options.maxTimeoutMs,
      requested: (input) => input.timeout,
    },
    needs: ["workspace"],
    run: (input, context) => runBash(input, context, options),
  });
}

async function runBash(
  input: BashInput,
  context: ToolContext<"workspace">,
  options: BashOptions,
): Promise<ToolResult> {
  const text = new OutputText(context.text);
  const notices = timeoutNotices(input.timeout, options);
  const startedAt = performance.now();
  const runId = `${context.callId}.${context.attempt}`;
  const spool = spoolOf(runId, context);
  const artifact: ArtifactReference = {
    id: spool.artifactId,
    path: artifactFile(context.workspace, spool.artifactId),
    extent: "unknown",
  };
  let exit: RunExit;
  try {
    exit = await context.workspace.processes.run({
      runId,
      spool,
      argv: ["bash"],
      script: Buffer.from(input.command),
      ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
      signal: context.signal,
      killGraceMs: context.killGraceMs,
      onStarted: ({ processesCleared, runsCleared }) => {
        context.begin();
        if (processesCleared > 0) notices.push(clearedNotice(processesCleared, runsCleared));
      },
      onOutput: (stream, data) => {
        text.push(stream, data);
        return context.output(stream, data);
      },
    });
  } catch (error) {
    if (error instanceof AgentFailure) return startFailure(error, input);
    if (context.signal.aborted) return stoppedEarly({ text, notices, artifact });
    throw new InterruptedWork(error, { printed: text.finish(), artifact });
  }
  const elapsedMs = performance.now() - startedAt;
  return bashResult({ exit, text, notices, elapsedMs, artifact, stopped: context.signal.aborted });
}

/** Text may be longer than the bytes that it was made of, so bytes are kept well before the text has to be cut. */
const LONGEST_GROWTH = 8;

function spoolOf(runId: string, { text, spoolBytes }: ToolContext<"workspace">) {
  const afterBytes = Math.floor(text.maxBytes / LONGEST_GROWTH);
  return { artifactId: artifactIdOf(runId), afterBytes, maxBytes: spoolBytes };
}

function timeoutNotices(timeout: number | undefined, { maxTimeoutMs }: BashOptions): string[] {
  if (timeout === undefined) return [];
  if (timeout > maxTimeoutMs) {
    return [`timeout ${timeout} ms is above the limit; ${maxTimeoutMs} ms holds`];
  }
  if (timeout < SUSPICIOUS_TIMEOUT_MS) return [`timeout ${timeout} is in milliseconds, not seconds`];
  return [];
}

function clearedNotice(processes: number, runs: readonly string[]): string {
  const calls = runs.map((run) => run.replace(/\.\d+$/, "")).join(", ");
  return (
    `processes were used up, so ${processes} background processes that earlier calls had left ` +
    `were killed (call ${calls})`
  );
}

function startFailure({ detail }: AgentFailure, input: BashInput): ToolResult {
  switch (detail.kind) {
    case ErrorKind.WORKING_DIRECTORY:
      return toolError({
        code: "bash.working_directory",
        message: `The working directory ${JSON.stringify(input.cwd ?? "")} cannot be used: ${detail.message}`,
        hint: "Leave cwd out to use the workspace, or make the directory first.",
      });
    case ErrorKind.RESOURCES:
      return toolError({
        code: "bash.resources",
        retryable: true,
        message: "No further process can be started in the sandbox: its process or memory limit is reached.",
        hint: "Stop what earlier calls have left running.",
      });
    default:
      return toolError({
        code: "bash.not_started",
        fixBy: "operator",
        message: `bash could not be started: ${detail.message}`,
      });
  }
}
