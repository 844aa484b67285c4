import { ErrorKind } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { failed, toolError } from "../domain/tool-result.js";
import type { ToolResult } from "../domain/tool-result.js";
import { AgentFailure } from "../sandbox/channel/agent-client.js";
import { SandboxError } from "../sandbox/provider.js";
import { InterruptedWork } from "../tools/interrupted-work.js";
import { SandboxLost } from "../workspace/workspace.js";
import type { Begun } from "../workspace/workspace.js";
import { AbortReason, ClockFired } from "./abort-reason.js";

/** What a thrown error means for a call. Faults that nobody foresaw are told to `onBug` and not to the model. */
export function faultResult(error: unknown, options: { onBug: (error: unknown) => void }): ToolResult {
  if (!(error instanceof InterruptedWork)) return faultOf(error, options.onBug);
  const result = faultOf(error.cause, options.onBug);
  const { text, truncated, originalBytes, originalLines, keptBytes } = error.printed;
  if (text === "") return result;
  return {
    ...result,
    content: [{ kind: "text", text }, ...result.content],
    ...(truncated
      ? { truncation: { originalBytes, originalLines, keptBytes, artifact: error.artifact } }
      : {}),
  };
}

/** Whether the work may have begun that ended in a thrown error. */
export function begunOf(error: unknown): Begun {
  const cause = error instanceof InterruptedWork ? error.cause : error;
  return cause instanceof SandboxLost ? cause.begun : "no";
}

function faultOf(error: unknown, onBug: (error: unknown) => void): ToolResult {
  if (error instanceof AbortReason || error instanceof ClockFired)
    return { outcome: "canceled", content: [] };
  if (error instanceof SandboxLost) return lost(error);
  if (error instanceof SandboxError) {
    return failed("failed", {
      code: `sandbox.${error.failure.replaceAll("-", "_")}`,
      fixBy: "operator",
      retryable: error.failure === "engine-unreachable" || error.failure === "gone",
      message: `The sandbox could not be had: ${error.message}`,
      ...(error.hint === "" ? {} : { hint: error.hint }),
    });
  }
  if (error instanceof AgentFailure) {
    return toolError({
      code: `workspace.${nameOf(error.detail.kind)}`,
      message: error.detail.message,
    });
  }
  onBug(error);
  return failed("failed", {
    code: "service.bug",
    fixBy: "operator",
    message: "The service met an error of its own. It stands in its log.",
  });
}

function lost({ kind, begun }: SandboxLost): ToolResult {
  if (kind === "engine") {
    return failed("failed", {
      code: "sandbox.engine_unreachable",
      fixBy: "operator",
      retryable: begun === "no",
      message: "The container engine stopped answering during the call.",
      hint: begun !== "no" ? "The command may have had effects: look before you run it again." : "Try again.",
    });
  }
  const what = kind === "sandbox" ? "sandbox" : "agent process of the sandbox";
  return failed("sandbox_lost", {
    code: kind === "sandbox" ? "sandbox.lost" : "sandbox.agent_lost",
    fixBy: "model",
    retryable: begun === "no",
    message: `The ${what} died during the call, and with it every process.`,
    hint:
      begun !== "no"
        ? "Files in the workspace are kept. The command may have had effects: look before you run it again."
        : "Files in the workspace are kept. The command had not begun: run it again.",
  });
}

function nameOf(kind: ErrorKind): string {
  const names: Readonly<Record<number, string | undefined>> = ErrorKind;
  return (names[kind] ?? "error").toLowerCase();
}
