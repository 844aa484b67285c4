import { failed } from "../domain/tool-result.js";
import type { ToolResult } from "../domain/tool-result.js";
import { SandboxPhase } from "../../gen/handrail/v1/events_pb.js";
import { OutputStream } from "../../gen/handrail/v1/events_pb.js";
import type { FileViews } from "../sessions/file-views.js";
import type { BaseContext, Ports } from "../tools/define.js";
import type { Workspace, WorkspaceManager } from "../workspace/workspace.js";
import { ClockFired } from "./abort-reason.js";
import { lossOf } from "./after-loss.js";
import type { Call } from "./call.js";
import type { Admitted } from "./call-context.js";
import { begunOf, faultResult } from "./call-fault.js";
import { startClocks } from "./clocks.js";
import type { Epochs } from "./epochs.js";
import type { EventBody } from "./journal.js";
import type { CallPolicy } from "./limits.js";
import { maskedWorkspace } from "./masked-workspace.js";
import type { Maskers } from "./masked-workspace.js";

/** What performing a call needs. */
export interface PerformOptions {
  readonly workspaces: WorkspaceManager;
  /** What sessions have seen of files. */
  readonly fileViews: FileViews;
  readonly policy: CallPolicy;
  readonly epochs: Epochs;
  /** What is masked in the output of each project's processes. */
  readonly maskers: Maskers;
  /** Hears of errors that are bugs of the service. */
  readonly onBug: (error: unknown, call: Call) => void;
}

/** Takes the events of a call. While a returned promise is pending, those who read are behind. */
export type EmitEvent = (event: EventBody) => void | Promise<void>;

/**
 * Runs the tool of an admitted call: gets the sandbox, starts the clocks, tells what happens. Rejects only if the sandbox
 * or its agent was lost, which may be recovered.
 */
export async function perform(
  call: Call,
  admitted: Admitted,
  { emit, ...options }: PerformOptions & { emit: EmitEvent },
): Promise<ToolResult> {
  if ("refusal" in admitted) return admitted.refusal;
  const { tool, prepared, limits } = admitted;
  const { run } = call;
  try {
    run.signal.throwIfAborted();
    const ports: Partial<Ports> = {
      ...(tool.needs.has("workspace") ? { workspace: await openWorkspace(call, options, emit) } : {}),
      views: options.fileViews.of({ ...call.key, session: call.facts.sessionId }),
    };
    const notices = ports.workspace?.takeNotices() ?? [];
    const { attempt } = run;
    const context: BaseContext = {
      callId: call.id,
      attempt,
      signal: run.signal,
      runLimitMs: limits.runMs,
      killGraceMs: options.policy.killGraceMs,
      spoolBytes: options.policy.spoolBytes,
      text: { maxBytes: limits.maxTextBytes, keep: limits.keep },
      begin: () => {
        run.begun = "yes";
      },
      output: (stream, data) => emit(outputEvent(attempt, stream, data)),
      progress: (message, done = 0, total = 0) => {
        void emit({ case: "progress", value: { $typeName: "handrail.v1.Progress", message, done, total } });
      },
    };
    void emit({ case: "started", value: { $typeName: "handrail.v1.Started", attempt } });
    const startedAt = performance.now();
    const stopClocks = startClocks(run, limits);
    try {
      const result = await prepared.run({ ...context, ...ports });
      return notices.length === 0 ? result : { ...result, notices: [...notices, ...(result.notices ?? [])] };
    } finally {
      stopClocks();
      run.timings.runMs = performance.now() - startedAt;
    }
  } catch (error) {
    if (run.begun === "no") run.begun = begunOf(error);
    if (lossOf(error) !== undefined && !run.signal.aborted) throw error;
    return faultResult(error, { onBug: (bug) => options.onBug(bug, call) });
  }
}

async function openWorkspace(call: Call, options: PerformOptions, emit: EmitEvent): Promise<Workspace> {
  const { run, key } = call;
  const { sandboxMs } = options.policy;
  const startedAt = performance.now();
  const clock = setTimeout(() => run.stop(new ClockFired("sandbox", sandboxMs)), sandboxMs);
  const told = { something: false };
  const tell = (phase: SandboxPhase, message: string) => {
    told.something = true;
    void emit({ case: "sandbox", value: { $typeName: "handrail.v1.SandboxStatus", phase, message } });
  };
  try {
    const workspace = await options.workspaces.getOrCreate(key, {
      signal: run.signal,
      onPhase: (message) => tell(SandboxPhase.STARTING, message),
      ifGone: "throw",
    });
    run.generation = workspace.generation;
    options.epochs.meetGeneration(key, workspace.generation);
    if (told.something) tell(SandboxPhase.READY, "the sandbox is ready");
    return maskedWorkspace(workspace, options.maskers.of(key));
  } finally {
    clearTimeout(clock);
    run.timings.sandboxMs = performance.now() - startedAt;
  }
}

function outputEvent(attempt: number, stream: "stdout" | "stderr", data: Uint8Array): EventBody {
  return {
    case: "output",
    value: {
      $typeName: "handrail.v1.Output",
      attempt,
      stream: stream === "stdout" ? OutputStream.STDOUT : OutputStream.STDERR,
      data,
    },
  };
}

/** The result of a call that ended before its tool was reached. */
export function notReached(): ToolResult {
  return failed("failed", {
    code: "service.bug",
    fixBy: "operator",
    message: "The call ended without a result. It stands in the service's log.",
  });
}
