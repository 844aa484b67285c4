import type { Mode } from "../domain/mode.js";
import { firstUnmet } from "./conditions.js";
import type { Conditions } from "./conditions.js";
import type { AnyTool } from "./define.js";
import { edit } from "./files/edit.js";
import { createRead } from "./files/read.js";
import type { ReadOptions } from "./files/read.js";
import { write } from "./files/write.js";
import { BUILD_EXCLUDED_TOOLS, PLAN_MODE_TOOLS } from "./plan-mode.js";
import { glob } from "./search/glob.js";
import { grep } from "./search/grep.js";
import { listFiles } from "./search/list-files.js";
import { createBash } from "./shell/bash.js";
import type { BashOptions } from "./shell/bash.js";

/** What tools take from the configuration. */
export interface ToolOptions {
  readonly bash: BashOptions;
  readonly read: ReadOptions;
}

/** Every tool there is, in the order in which they are listed. */
export function createAllTools(options: ToolOptions): readonly AnyTool[] {
  return [createBash(options.bash), write, createRead(options.read), edit, glob, grep, listFiles];
}

/** The tools of plan mode. */
export function filterToolsForPlanMode(tools: readonly AnyTool[]): readonly AnyTool[] {
  const allowed = new Set<string>(PLAN_MODE_TOOLS);
  return tools.filter((tool) => allowed.has(tool.name));
}

/** The tools of build mode. */
export function filterToolsForBuildMode(tools: readonly AnyTool[]): readonly AnyTool[] {
  const excluded = new Set<string>(BUILD_EXCLUDED_TOOLS);
  return tools.filter((tool) => !excluded.has(tool.name));
}

/** Why a tool may not be called now. */
export type Refusal =
  | { readonly why: "unknown" }
  | { readonly why: "mode"; readonly reason: string }
  | { readonly why: "condition"; readonly reason: string };

/** The tools of a service: what is listed and what may be called are the same by one rule. */
export class ToolRegistry {
  readonly #all: readonly AnyTool[];
  readonly #byName: ReadonlyMap<string, AnyTool>;

  /** Throws if two tools have one name. */
  constructor(tools: readonly AnyTool[]) {
    this.#all = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#byName.size !== tools.length) throw new Error("two tools have the same name");
  }

  /** The names of all tools. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The tools that may be called, and the others with the reason why not. */
  list(
    mode: Mode,
    conditions: Conditions,
  ): {
    available: readonly AnyTool[];
    unavailable: readonly { tool: AnyTool; reason: string }[];
  } {
    const available: AnyTool[] = [];
    const unavailable: { tool: AnyTool; reason: string }[] = [];
    for (const tool of this.#all) {
      const refusal = this.#refusal(tool, mode, conditions);
      if (refusal === undefined) available.push(tool);
      else unavailable.push({ tool, reason: refusal.reason });
    }
    return { available, unavailable };
  }

  /** The tool of that name, or why it may not be called. */
  admit(name: string, mode: Mode, conditions: Conditions): AnyTool | Refusal {
    const tool = this.#byName.get(name);
    if (tool === undefined) return { why: "unknown" };
    return this.#refusal(tool, mode, conditions) ?? tool;
  }

  #refusal(
    tool: AnyTool,
    mode: Mode,
    conditions: Conditions,
  ): Exclude<Refusal, { why: "unknown" }> | undefined {
    const filter = mode === "plan" ? filterToolsForPlanMode : filterToolsForBuildMode;
    if (filter([tool]).length === 0) {
      const reason = mode === "plan" ? "is not a tool of plan mode" : "is a tool of plan mode only";
      return { why: "mode", reason };
    }
    const reason = firstUnmet(tool.requires, conditions);
    return reason === undefined ? undefined : { why: "condition", reason };
  }
}
