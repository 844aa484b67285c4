/** JSON as a value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One piece of what the model sees. */
export type Content =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "picture";
      readonly mediaType: string;
      readonly data: Uint8Array;
      readonly width: number;
      readonly height: number;
      readonly altText: string;
    };

/** Who can mend an error. */
export type FixBy = "model" | "user" | "operator";

/** What went wrong in a call. */
export interface ToolFailure {
  /** Stable code, such as `read.not_found`. */
  readonly code: string;
  readonly fixBy: FixBy;
  /** The same call may succeed later without any change. Default: false. */
  readonly retryable?: boolean;
  /** Safe for the model. */
  readonly message: string;
  /** The next step. */
  readonly hint?: string;
}

/** How a call ended. */
export type OutcomeName =
  "ok" | "tool_error" | "denied" | "timed_out" | "canceled" | "sandbox_lost" | "interrupted" | "failed";

/** How the process of a call ended. */
export interface ExitReport {
  readonly code?: number;
  /** Such as `SIGKILL`. */
  readonly signal?: string;
  readonly oom: boolean;
  readonly processesKilled: number;
  readonly processesLeft: number;
  readonly supervision: "full" | "reduced";
}

/** What was left out of a text that the tool itself cut to the budget of the call. */
export interface TruncationReport {
  readonly originalBytes: number;
  readonly originalLines: number;
  readonly keptBytes: number;
  /** Where the text is kept. Default: nowhere. */
  readonly artifact?: ArtifactReference;
}

/** A long text that is kept for a time. */
export interface ArtifactReference {
  /** `whole`, only its `beginning`, or `unknown` where the work ended before that could be told. */
  readonly extent: "whole" | "beginning" | "unknown";
  /** For ReadArtifact. */
  readonly id: string;
  /** Path in the sandbox, for tools that read. */
  readonly path: string;
}

/** One file that a call changed. */
export interface FileChange {
  /** Path in the sandbox. */
  readonly path: string;
  readonly kind: "created" | "modified" | "deleted";
}

/** What a tool returns. The service adds the clocks, the abort and the timings. */
export interface ToolResult {
  readonly outcome: OutcomeName;
  readonly content: readonly Content[];
  /** The same for programs. */
  readonly structured?: Json;
  readonly error?: ToolFailure;
  readonly exit?: ExitReport;
  /** Set by a tool that cut its text itself; the text is then not cut again. */
  readonly truncation?: TruncationReport;
  /** The files that the call changed. Default: none. */
  readonly changes?: readonly FileChange[];
  /** False where the tool cannot tell what it changed. Default: true. */
  readonly changesKnown?: boolean;
  /** Set by the service: the call was not started because its turn was ended by AbortProject. Default: false. */
  readonly isOfAbortedTurn?: boolean;
  /** What the model should know beside the content. */
  readonly notices?: readonly string[];
}

/** A success with text. */
export function textResult(text: string, options: { structured?: Json } = {}): ToolResult {
  return {
    outcome: "ok",
    content: [{ kind: "text", text }],
    ...(options.structured === undefined ? {} : { structured: options.structured }),
  };
}

/** An error that the model can mend. */
export function toolError(failure: Omit<ToolFailure, "fixBy"> & { fixBy?: FixBy }): ToolResult {
  return failed("tool_error", { fixBy: "model", ...failure });
}

/** An end other than success, with the failure as text for the model. */
export function failed(outcome: Exclude<OutcomeName, "ok">, error: ToolFailure): ToolResult {
  const text = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
  return { outcome, content: [{ kind: "text", text }], error };
}
