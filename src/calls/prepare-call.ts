import type { Mode } from "../domain/mode.js";
import { failed, toolError } from "../domain/tool-result.js";
import type { ToolResult } from "../domain/tool-result.js";
import type { Conditions } from "../tools/conditions.js";
import type { AnyTool, PreparedCall } from "../tools/define.js";
import { describeIssues } from "../tools/describe-issues.js";
import type { ToolRegistry } from "../tools/registry.js";
import type { CallIdentity } from "./call-context.js";
import { hasNoProject } from "./project-of.js";

/** What to run, or the result that stands at once. */
export type Decision =
  { readonly tool: AnyTool; readonly prepared: PreparedCall } | { readonly refusal: ToolResult };

/** Decides on tool, condition, mode and arguments of a call. */
export function prepareCall(options: {
  tools: ToolRegistry;
  mode: Mode;
  conditions: Conditions;
  name: string;
  identity: CallIdentity;
}): Decision {
  const { tools, mode, conditions, name, identity } = options;
  const tool = tools.admit(name, mode, conditions);
  if ("why" in tool) {
    if (tool.why === "unknown") return { refusal: unknownTool(name, tools, mode, conditions) };
    return { refusal: notAllowed(name, tool.why, tool.reason) };
  }
  if (tool.needs.has("workspace") && hasNoProject(identity.key)) {
    return { refusal: projectRequired(name) };
  }
  const parsed = identity.arguments;
  if ("problem" in parsed) {
    return {
      refusal: toolError({
        code: "arguments.malformed",
        message: `The arguments of ${name} cannot be read: ${parsed.problem}`,
        hint: "Send one JSON object.",
      }),
    };
  }
  const prepared = tool.prepare(parsed.value);
  if ("issues" in prepared) {
    return {
      refusal: toolError({
        code: "arguments.invalid",
        message: `The arguments of ${name} do not fit: ${describeIssues(prepared.issues, tool.input)}`,
      }),
    };
  }
  return { tool, prepared };
}

function unknownTool(name: string, tools: ToolRegistry, mode: Mode, conditions: Conditions): ToolResult {
  const names = tools.list(mode, conditions).available.map((tool) => tool.name);
  return toolError({
    code: "tool.unknown",
    message: `There is no tool ${JSON.stringify(name.slice(0, 80))}.`,
    hint: `The tools of this turn are: ${names.join(", ")}.`,
  });
}

function notAllowed(name: string, why: "mode" | "condition", reason: string): ToolResult {
  return failed("denied", {
    code: why === "mode" ? "tool.mode" : "tool.condition",
    fixBy: why === "mode" ? "user" : "operator",
    message: `The tool ${name} is not available here: it ${reason}.`,
    hint: "List the tools again to see what is available.",
  });
}

function projectRequired(name: string): ToolResult {
  return failed("denied", {
    code: "context.project_required",
    fixBy: "operator",
    message: `The tool ${name} needs a project, and the request names neither a project nor a session.`,
    hint: "Send context.project_id.",
  });
}

/** The result of a call of a turn that AbortProject has closed. */
export function turnAborted(): ToolResult {
  return {
    ...failed("canceled", {
      code: "turn.aborted",
      fixBy: "user",
      message: "The turn of this call was ended by AbortProject, so the call was not started.",
      hint: "Go on with a new turn_id, which the next model response has anyway.",
    }),
    isOfAbortedTurn: true,
  };
}
