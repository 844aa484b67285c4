import type { z } from "zod";
import type { Effect } from "../domain/effect.js";
import type { ToolResult } from "../domain/tool-result.js";
import type { SessionViews } from "../sessions/file-views.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Requirement } from "./conditions.js";
import { dropNulls } from "./drop-nulls.js";

/** What a tool can ask for beside its arguments. A port that a tool does not name is not there for it. */
export interface Ports {
  /** The live workspace of the project; a sandbox is woken for it. */
  readonly workspace: Workspace;
  /** What the session of the call has seen of the files. */
  readonly views: SessionViews;
}

/** Name of a port. */
export type PortName = keyof Ports;

/** The text budget of a call. */
export interface TextBudget {
  /** Most bytes of text in the result. */
  readonly maxBytes: number;
  /** What the caller wants kept of a longer text; undefined leaves it to the tool. */
  readonly keep: "head" | "tail" | "both" | undefined;
}

/** What every tool has. */
export interface BaseContext {
  /** Unique in the project. */
  readonly callId: string;
  /** 1 for the first run of the call, 2 after a recovery. */
  readonly attempt: number;
  /** Aborts when the call is to end. */
  readonly signal: AbortSignal;
  /** The run limit that holds, in ms; 0 if there is none. */
  readonly runLimitMs: number;
  /** Time between SIGTERM and SIGKILL on abort, in ms. */
  readonly killGraceMs: number;
  readonly text: TextBudget;
  /** Most bytes of output of a process that are kept whole beside the result. */
  readonly spoolBytes: number;
  /** Marks the first effect: from here on the call may have changed something. */
  begin(): void;
  /** Live output, for people who watch. While a returned promise is pending, they are behind. */
  output(stream: "stdout" | "stderr", data: Uint8Array): void | Promise<void>;
  /** How far long work has come. */
  progress(message: string, done?: number, total?: number): void;
}

/** What a tool with the given needs has. */
export type ToolContext<N extends PortName = never> = BaseContext & Pick<Ports, N>;

/** The run limits of a tool, in ms. */
export interface ToolTimeLimits<I> {
  readonly defaultMs: number;
  readonly maxMs: number;
  /** What the arguments ask for; undefined if nothing. */
  readonly requested?: (input: I) => number | undefined;
}

/** A tool: data and one function. */
export interface ToolDefinition<I, N extends PortName> {
  /** Lower case and underscores. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** What the tool may change; by the parsed input where it depends on it. */
  readonly effect: Effect | ((input: I) => Effect);
  /** True if a run that was cut off may be run again from the beginning. Default: false. */
  readonly rerunSafe?: boolean;
  /** `inflight`: only running equal calls of a turn are shared, never a finished result. Default: `turn`. */
  readonly dedup?: "turn" | "inflight";
  /** Default: no limit of its own. */
  readonly limits?: ToolTimeLimits<I>;
  /** All must be met for the tool to be available. Default: none. */
  readonly requires?: readonly Requirement[];
  /** The ports that the context has. Default: none. */
  readonly needs?: readonly N[];
  /** Runs the tool. An error that the model can mend is a result; a thrown error is a fault. */
  run(input: I, context: ToolContext<N>): Promise<ToolResult>;
}

/** A tool whose input type is no longer visible. `prepare` turns raw arguments into something that can run. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** The effect, or `undefined` where it depends on the arguments. */
  readonly effect: Effect | undefined;
  readonly rerunSafe: boolean;
  readonly dedup: "turn" | "inflight";
  readonly limits: { readonly defaultMs: number; readonly maxMs: number } | undefined;
  readonly requires: readonly Requirement[];
  readonly needs: ReadonlySet<PortName>;
  prepare(raw: unknown): PreparedCall | { readonly issues: readonly z.core.$ZodIssue[] };
}

/** Parsed arguments together with the tool that they are for. */
export interface PreparedCall {
  readonly effect: Effect;
  /** The run limit that the arguments ask for, in ms. */
  readonly requestedMs: number | undefined;
  run(context: BaseContext & Partial<Ports>): Promise<ToolResult>;
}

/** Makes a tool. Throws if its data contradicts itself. */
export function defineTool<I, const N extends PortName = never>(definition: ToolDefinition<I, N>): AnyTool {
  const { name, input, effect, limits, needs = [] } = definition;
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new Error(`tool name ${name} is not lower case with underscores`);
  if (limits !== undefined && limits.defaultMs > limits.maxMs) {
    throw new Error(
      `tool ${name}: default limit ${limits.defaultMs} ms is above its maximum ${limits.maxMs} ms`,
    );
  }
  return {
    name,
    description: definition.description,
    input,
    effect: typeof effect === "function" ? undefined : effect,
    rerunSafe: definition.rerunSafe ?? false,
    dedup: definition.dedup ?? "turn",
    limits: limits === undefined ? undefined : { defaultMs: limits.defaultMs, maxMs: limits.maxMs },
    requires: definition.requires ?? [],
    needs: new Set<PortName>(needs),
    prepare(raw) {
      const parsed = input.safeParse(dropNulls(input, raw));
      if (!parsed.success) return { issues: parsed.error.issues };
      return {
        effect: typeof effect === "function" ? effect(parsed.data) : effect,
        requestedMs: limits?.requested?.(parsed.data),
        run: (context) => definition.run(parsed.data, withPorts(name, needs, context)),
      };
    },
  };
}

function withPorts<N extends PortName>(
  name: string,
  needs: readonly N[],
  context: BaseContext & Partial<Ports>,
): ToolContext<N> {
  for (const port of needs) {
    if (context[port] === undefined) throw new Error(`tool ${name} needs the port ${port}`);
  }
  return context as ToolContext<N>;
}
