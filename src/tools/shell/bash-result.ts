import type { RunExit } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type {
  ArtifactReference,
  Content,
  ExitReport,
  ToolFailure,
  ToolResult,
  TruncationReport,
} from "../../domain/tool-result.js";
import type { TruncatedText } from "../../text/truncation-marker.js";
import type { OutputText } from "./output-text.js";

/** The result of a command that has ended. */
export function bashResult(options: {
  exit: RunExit;
  text: OutputText;
  notices: readonly string[];
  elapsedMs: number;
  /** Where the whole output is, if it was long. */
  artifact: ArtifactReference;
  /** True if the call was stopped, which then is its end rather than the exit. */
  stopped: boolean;
}): ToolResult {
  const { exit, text, notices, elapsedMs, artifact, stopped } = options;
  const printed = text.finish();
  const report = exitReport(exit);
  const failure = exit.diskExceeded === "" ? failureOf(report) : diskFailure(exit.diskExceeded);
  const content: Content[] = [{ kind: "text", text: printed.text === "" ? "(no output)" : printed.text }];
  if (failure !== undefined && !stopped) content.push({ kind: "text", text: `[${failure.message}]` });
  const extent = exit.spoolComplete ? "whole" : "beginning";
  const kept = exit.spooledBytes > 0n ? { artifact: { ...artifact, extent } as const } : {};
  return {
    outcome: failure === undefined ? "ok" : "tool_error",
    content,
    structured: {
      exit_code: report.code ?? null,
      signal: report.signal ?? null,
      oom: report.oom,
      processes_left: report.processesLeft,
      elapsed_ms: Math.round(elapsedMs),
    },
    exit: report,
    changesKnown: false,
    notices: [...notices, ...leftNotice(report), ...memoryNotice(report)],
    ...(failure === undefined ? {} : { error: failure }),
    ...(printed.truncated ? { truncation: { ...reportOf(printed), ...kept } } : {}),
  };
}

/** The result of a command that was stopped before its end could be read. */
export function stoppedEarly(options: {
  text: OutputText;
  notices: readonly string[];
  artifact: ArtifactReference;
}): ToolResult {
  const { notices, artifact } = options;
  const printed = options.text.finish();
  return {
    outcome: "canceled",
    content: printed.text === "" ? [] : [{ kind: "text", text: printed.text }],
    changesKnown: false,
    notices,
    ...(printed.truncated ? { truncation: { ...reportOf(printed), artifact } } : {}),
  };
}

function reportOf({ originalBytes, originalLines, keptBytes }: TruncatedText): TruncationReport {
  return { originalBytes, originalLines, keptBytes };
}

function exitReport(exit: RunExit): ExitReport {
  return {
    ...(exit.status.case === "code" ? { code: exit.status.value } : {}),
    ...(exit.status.case === "signal" ? { signal: exit.status.value } : {}),
    oom: exit.oom,
    processesKilled: exit.processesKilled,
    processesLeft: exit.processesLeft,
    supervision: exit.fullSupervision ? "full" : "reduced",
  };
}

function diskFailure(reason: string): ToolFailure {
  return {
    code: "disk.quota_exceeded",
    fixBy: "model",
    message: `ended, because ${reason}`,
    hint: "Remove files that are not needed; du -sh * ~/.[!.]* says what takes the most.",
  };
}

function failureOf({ code, signal, oom }: ExitReport): ToolFailure | undefined {
  if (code === 0) return undefined;
  if (oom) {
    const how = signal === undefined ? `exit code ${code ?? "unknown"}` : `killed by ${signal}`;
    return {
      code: "bash.out_of_memory",
      fixBy: "model",
      message: `the sandbox ran out of memory and a process was killed (${how})`,
      hint: "Use less memory at once, or ask the operator for a larger limit.",
    };
  }
  if (signal !== undefined) return { code: "bash.signal", fixBy: "model", message: `killed by ${signal}` };
  if (code === undefined) {
    return { code: "bash.exit_unknown", fixBy: "model", message: "ended, but its exit code is not known" };
  }
  return { code: "bash.exit", fixBy: "model", message: `exit code ${code}` };
}

function memoryNotice({ code, oom }: ExitReport): string[] {
  if (!oom || code !== 0) return [];
  return ["the command ended well, but a process of the sandbox was killed for lack of memory meanwhile"];
}

function leftNotice({ processesLeft }: ExitReport): string[] {
  if (processesLeft === 0) return [];
  return [
    processesLeft === 1
      ? "1 background process of this command lives on"
      : `${processesLeft} background processes of this command live on`,
  ];
}
