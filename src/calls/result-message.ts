import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AbortSource,
  Admitted,
  ChangeKind,
  Clock,
  ContentPartSchema,
  FixBy,
  Outcome,
  ResultSchema,
  Supervision,
} from "../../gen/handrail/v1/result_pb.js";
import type { ContentPart, ExitSchema, Result } from "../../gen/handrail/v1/result_pb.js";
import type {
  Content,
  ExitReport,
  FileChange,
  OutcomeName,
  ToolFailure,
  ToolResult,
} from "../domain/tool-result.js";
import { AbortReason } from "./abort-reason.js";
import type { AbortSourceName, ClockFired, ClockName } from "./abort-reason.js";
import { artifactNotice } from "../tools/artifact-notice.js";
import type { Run } from "./run.js";
import type { Begun } from "../workspace/workspace.js";

const OUTCOMES: Readonly<Record<OutcomeName, Outcome>> = {
  ok: Outcome.OK,
  tool_error: Outcome.TOOL_ERROR,
  denied: Outcome.DENIED,
  timed_out: Outcome.TIMED_OUT,
  canceled: Outcome.CANCELED,
  sandbox_lost: Outcome.SANDBOX_LOST,
  interrupted: Outcome.INTERRUPTED,
  failed: Outcome.FAILED,
};

const FIX_BY: Readonly<Record<ToolFailure["fixBy"], FixBy>> = {
  model: FixBy.MODEL,
  user: FixBy.USER,
  operator: FixBy.OPERATOR,
};

const CLOCKS: Readonly<Record<ClockName, Clock>> = {
  run: Clock.RUN,
  idle: Clock.IDLE,
  queue: Clock.QUEUE,
  sandbox: Clock.SANDBOX,
};

const SOURCES: Readonly<Record<AbortSourceName, AbortSource>> = {
  client: AbortSource.CLIENT,
  disconnect: AbortSource.DISCONNECT,
  deadline: AbortSource.DEADLINE,
  cancel_call: AbortSource.CANCEL_CALL,
  abort_project: AbortSource.ABORT_PROJECT,
  shutdown: AbortSource.SHUTDOWN,
};

const ADMITTED: Readonly<Record<Begun, Admitted>> = {
  no: Admitted.NO,
  unknown: Admitted.UNKNOWN,
  yes: Admitted.YES,
};

const CHANGES: Readonly<Record<FileChange["kind"], ChangeKind>> = {
  created: ChangeKind.CREATED,
  modified: ChangeKind.MODIFIED,
  deleted: ChangeKind.DELETED,
};

/** Most changes that a result lists. */
const MAX_CHANGES = 200;

/** The result of a run as a message: what the tool returned, under what ended the run. */
export function resultMessage(
  run: Run,
  returned: ToolResult,
  options: {
    /** When the call came and when it ends, in ms since 1970. */
    cameAtMs: number;
    now: number;
    /** What stopped the call. Default: what stopped the run. */
    stopped?: AbortReason | ClockFired;
  },
): Result {
  const stopped = options.stopped ?? stoppedBy(run);
  const outcome = stopped === undefined ? returned.outcome : stoppedOutcome(stopped);
  const error = stopped === undefined ? returned.error : stoppedFailure(stopped);
  return create(ResultSchema, {
    outcome: OUTCOMES[outcome],
    content: contentParts(returned, stopped),
    structuredJson: returned.structured === undefined ? "" : JSON.stringify(returned.structured),
    ...changesOf(returned.changes ?? []),
    changesKnown: returned.changesKnown ?? true,
    notices: noticesOf(returned),
    recovered: run.recovered,
    timings: {
      queueMs: Math.round(run.timings.queueMs),
      sandboxMs: Math.round(run.timings.sandboxMs),
      runMs: Math.round(run.timings.runMs),
      totalMs: Math.round(options.now - options.cameAtMs),
    },
    ...(error === undefined ? {} : { error: errorMessage(error, admittedOf(run, outcome)) }),
    ...exitOf(returned.exit, stopped),
    ...(returned.truncation === undefined ? {} : { truncation: truncationMessage(returned.truncation) }),
    ...(stopped instanceof AbortReason
      ? { abort: { source: SOURCES[stopped.source], reason: stopped.said } }
      : returned.isOfAbortedTurn === true
        ? { abort: { source: AbortSource.ABORT_PROJECT } }
        : {}),
  });
}

/** The result of a call that was under way when the process of the service ended. */
export function interruptedResult(): Result {
  const message = "The service ended while the call was under way, so its outcome is not known.";
  const hint = "Look at what it may have changed before you call it again, with a new call id.";
  return create(ResultSchema, {
    outcome: Outcome.INTERRUPTED,
    content: [textPart(`${message}\n${hint}`)],
    error: {
      code: "call.interrupted",
      fixBy: FixBy.OPERATOR,
      admitted: Admitted.UNKNOWN,
      message,
      hint,
    },
  });
}

/** The result of a call that shares the run of an equal one. */
export function twinResult(result: Result, options: { sourceId: string; hasEffect: boolean }): Result {
  const notice = `same call as ${options.sourceId} of this turn, not run again`;
  const twin = { ...result, deduplicated: true };
  if (!options.hasEffect) return twin;
  return {
    ...twin,
    notices: [...result.notices, notice],
    content: [...result.content, textPart(`[${notice}]`)],
  };
}

function changesOf(
  changes: readonly FileChange[],
): Pick<MessageInitShape<typeof ResultSchema>, "changes" | "changesOmitted"> {
  return {
    changes: changes.slice(0, MAX_CHANGES).map(({ path, kind }) => ({ path, kind: CHANGES[kind] })),
    changesOmitted: Math.max(0, changes.length - MAX_CHANGES),
  };
}

function stoppedBy(run: Run): AbortReason | ClockFired | undefined {
  return run.ending?.by === "abort" ? run.ending.reason : undefined;
}

function stoppedOutcome(stopped: AbortReason | ClockFired): OutcomeName {
  if (!(stopped instanceof AbortReason)) return "timed_out";
  return stopped.source === "shutdown" ? "interrupted" : "canceled";
}

function stoppedFailure(stopped: AbortReason | ClockFired): ToolFailure {
  if (!(stopped instanceof AbortReason)) {
    const { clock, limitMs } = stopped;
    return {
      code: `call.${clock}_limit`,
      fixBy: clock === "run" || clock === "idle" ? "model" : "operator",
      retryable: clock === "queue",
      message: `The call was stopped: ${CLOCK_WORDS[clock]} ${limitMs} ms passed.`,
      hint: CLOCK_HINTS[clock],
    };
  }
  return {
    code: stopped.source === "shutdown" ? "call.interrupted" : "call.canceled",
    fixBy: stopped.source === "shutdown" ? "operator" : "user",
    message: `The call was stopped by ${SOURCE_WORDS[stopped.source]}${stopped.said === "" ? "" : `: ${stopped.said}`}.`,
  };
}

const CLOCK_WORDS: Readonly<Record<ClockName, string>> = {
  run: "the run limit of",
  idle: "the limit for time without output of",
  queue: "the longest wait for a free place of",
  sandbox: "the longest start of a sandbox of",
};

const CLOCK_HINTS: Readonly<Record<ClockName, string>> = {
  run: "Set a higher limit if the work needs it, or run it in the background and look at it later.",
  idle: "Make the work print something now and then, or set a higher idle limit.",
  queue: "Too many calls run in this project. Run fewer at once or try again.",
  sandbox: "The container engine is slow or stuck. Try again; if it stays so, tell the operator.",
};

const SOURCE_WORDS: Readonly<Record<AbortSourceName, string>> = {
  client: "the client",
  disconnect: "the loss of the client's connection",
  deadline: "the deadline of the request",
  cancel_call: "CancelCall",
  abort_project: "AbortProject",
  shutdown: "the shutdown of the service",
};

function contentParts(returned: ToolResult, stopped: AbortReason | ClockFired | undefined): ContentPart[] {
  const parts = returned.content.map(contentPart);
  for (const notice of noticesOf(returned)) parts.push(textPart(`[${notice}]`));
  if (stopped !== undefined) parts.push(textPart(`[${stoppedFailure(stopped).message}]`));
  return parts;
}

/** What the model is told beside the content, with where the whole of a text is that was cut. */
function noticesOf({ notices = [], truncation }: ToolResult): string[] {
  if (truncation?.artifact === undefined) return [...notices];
  return [...notices, artifactNotice(truncation.artifact)];
}

function contentPart(content: Content): ContentPart {
  if (content.kind === "text") return textPart(content.text);
  const { mediaType, data, width, height, altText } = content;
  return create(ContentPartSchema, {
    part: { case: "blob", value: { mediaType, data, width, height } },
    altText,
  });
}

function textPart(text: string): ContentPart {
  return create(ContentPartSchema, { part: { case: "text", value: { text } } });
}

function errorMessage(
  error: ToolFailure,
  admitted: Admitted,
): NonNullable<MessageInitShape<typeof ResultSchema>["error"]> {
  return {
    code: error.code,
    fixBy: FIX_BY[error.fixBy],
    retryable: error.retryable ?? false,
    admitted,
    message: error.message,
    hint: error.hint ?? "",
  };
}

function admittedOf(run: Run, outcome: OutcomeName): Admitted {
  return outcome === "interrupted" ? Admitted.UNKNOWN : ADMITTED[run.begun];
}

function exitOf(
  exit: ExitReport | undefined,
  stopped: AbortReason | ClockFired | undefined,
): { exit?: MessageInitShape<typeof ExitSchema> } {
  const clock =
    stopped === undefined || stopped instanceof AbortReason ? Clock.UNSPECIFIED : CLOCKS[stopped.clock];
  if (exit === undefined) return clock === Clock.UNSPECIFIED ? {} : { exit: { clock } };
  return {
    exit: {
      ...(exit.code === undefined ? {} : { status: { case: "code", value: exit.code } as const }),
      ...(exit.signal === undefined ? {} : { status: { case: "signal", value: exit.signal } as const }),
      oom: exit.oom,
      clock,
      processesKilled: exit.processesKilled,
      processesLeft: exit.processesLeft,
      supervision: exit.supervision === "full" ? Supervision.FULL : Supervision.REDUCED,
    },
  };
}

function truncationMessage(report: NonNullable<ToolResult["truncation"]>) {
  return {
    originalBytes: BigInt(report.originalBytes),
    originalLines: BigInt(report.originalLines),
    keptBytes: BigInt(report.keptBytes),
    artifactId: report.artifact?.id ?? "",
  };
}
