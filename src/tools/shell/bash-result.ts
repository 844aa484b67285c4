import type { RunExit } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { Content, ExitReport, ToolFailure, ToolResult } from "../../domain/tool-result.js";
import type { OutputText } from "./output-text.js";

/** The result of a command that has ended. */
export function bashResult(options: {
  exit: RunExit;
  text: OutputText;
  notices: readonly string[];
  elapsedMs: number;
  /** True if the call was stopped, which then is its end rather than the exit. */
  stopped: boolean;
}): ToolResult {
  const { exit, text, notices, elapsedMs, stopped } = options;
  const printed = text.finish();
  const report = exitReport(exit);
  const failure = exit.diskExceeded === "" ? failureOf(report) : diskFailure(exit.diskExceeded);
  const content: Content[] = [{ kind: "text", text: printed.text === "" ? "(no output)" : printed.text }];
  if (failure !== undefined && !stopped) content.push({ kind: "text", text: `[${failure.message}]` });
  const { originalBytes, originalLines, keptBytes } = printed;
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
    ...(printed.truncated ? { truncation: { originalBytes, originalLines, keptBytes } } : {}),
  };
}

/** The result of a command that was stopped before its end could be read. */
export function stoppedEarly(text: OutputText, notices: readonly string[]): ToolResult {
  const { text: printed, truncated, originalBytes, originalLines, keptBytes } = text.finish();
  return {
    outcome: "canceled",
    content: printed === "" ? [] : [{ kind: "text", text: printed }],
    changesKnown: false,
    notices,
    ...(truncated ? { truncation: { originalBytes, originalLines, keptBytes } } : {}),
  };
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
