import { Outcome } from "../../gen/handrail/v1/result_pb.js";

/** What the exit codes of the command line mean. */
export const EXIT = {
  ok: 0,
  toolError: 1,
  usage: 2,
  denied: 3,
  timedOut: 4,
  service: 5,
  lost: 6,
  canceled: 130,
} as const;

/** The same in words, for the help and the documentation. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "success",
  toolError:
    "the tool failed, as a command with a non-zero exit code does; for doctor: something does not work",
  usage: "the command line is wrong",
  denied: "the tool may not be used here",
  timedOut: "a time limit was reached",
  service: "the service is not there, or refused the request",
  lost: "the sandbox was lost, the service ended under the call, or a fault of the service",
  canceled: "canceled",
};

const OF_OUTCOME: Readonly<Partial<Record<Outcome, number>>> = {
  [Outcome.OK]: EXIT.ok,
  [Outcome.TOOL_ERROR]: EXIT.toolError,
  [Outcome.DENIED]: EXIT.denied,
  [Outcome.TIMED_OUT]: EXIT.timedOut,
  [Outcome.CANCELED]: EXIT.canceled,
};

/** The exit code for the outcome of a call. */
export function exitOf(outcome: Outcome): number {
  return OF_OUTCOME[outcome] ?? EXIT.lost;
}

/** The exit codes as lines of a help text. */
export function exitHelp(): string {
  const lines = Object.entries(EXIT).map(
    ([name, code]) => `  ${String(code).padEnd(5)}${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
  );
  return `\nExit codes:\n${lines.join("\n")}`;
}
