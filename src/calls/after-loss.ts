import type { ToolResult } from "../domain/tool-result.js";
import { failed } from "../domain/tool-result.js";
import type { AnyTool, PreparedCall } from "../tools/define.js";
import { InterruptedWork } from "../tools/interrupted-work.js";
import { withSignal } from "../workspace/with-signal.js";
import { SandboxLost } from "../workspace/workspace.js";
import type { Call } from "./call.js";
import { begunOf, faultResult } from "./call-fault.js";
import type { Recoveries } from "./recoveries.js";

/** What is done with a call whose sandbox or agent was lost: it runs once more, or it has this result. */
export type AfterLoss = { readonly runAgain: true } | { readonly result: ToolResult };

/** The loss of a sandbox or of its agent that ended the work of a call; undefined for every other error. */
export function lossOf(error: unknown): SandboxLost | undefined {
  const cause = error instanceof InterruptedWork ? error.cause : error;
  return cause instanceof SandboxLost && cause.kind !== "engine" ? cause : undefined;
}

/**
 * Has what was lost replaced and decides on the call: it waits for that and runs once more if its work had not begun, or can
 * do no harm if it is done twice; else it is told at once. Nothing is run twice behind the model's back.
 */
export async function afterLoss(
  error: unknown,
  loss: SandboxLost,
  options: {
    call: Call;
    tool: AnyTool;
    prepared: PreparedCall;
    recoveries: Recoveries;
    onBug: (error: unknown) => void;
    now: number;
  },
): Promise<AfterLoss> {
  const { call, tool, prepared, recoveries, onBug, now } = options;
  const { run, facts } = call;
  if (run.begun === "no") run.begun = begunOf(error);
  const isHarmless = prepared.effect === "none" || prepared.effect === "read" || tool.rerunSafe;
  const mayRunAgain = run.attempt === 1 && (run.begun === "no" || isHarmless);
  if (loss.kind === "agent")
    return mayRunAgain ? { runAgain: true } : { result: faultResult(error, { onBug }) };
  const recovery = await withSignal(recoveries.recover(call.key, loss.generation), run.signal);
  const lost = faultResult(error, { onBug });
  if (recovery.did === "exhausted") return { result: exhausted(lost, recovery.untilMs) };
  if (!mayRunAgain) return { result: lost };
  const { deadlineMs } = facts.limits;
  if (deadlineMs > 0 && facts.createdAtMs + deadlineMs - now < recoveries.waitMs)
    return { result: noTimeLeft(lost) };
  await withSignal(recovery.done, run.signal);
  run.recovered = true;
  return { runAgain: true };
}

function noTimeLeft(lost: ToolResult): ToolResult {
  if (lost.error === undefined) return lost;
  const hint =
    "The sandbox is being replaced; there was too little time left to wait for it. Look, and call again.";
  return { ...lost, error: { ...lost.error, retryable: true, hint } };
}

function exhausted(lost: ToolResult, untilMs: number): ToolResult {
  const until = new Date(untilMs).toISOString();
  const refused = failed("sandbox_lost", {
    code: "sandbox.recovery_exhausted",
    fixBy: "operator",
    message: `The sandbox of the project was lost too often and is not replaced again before ${until}.`,
    hint: "Find out what removes it; RestartSandbox replaces it at once. The files of the workspace are kept.",
  });
  return { ...lost, ...refused, content: [...lost.content.slice(0, -1), ...refused.content] };
}
