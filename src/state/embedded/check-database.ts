import { StateError } from "../store.js";
import { runCheck, type CheckEnd } from "./check-process.js";
import { checkReportSchema, type CheckReport } from "./check-report.js";
import { stateError, stateErrorOf } from "./failure-of.js";

/** Options of checkDatabase. */
export interface CheckDatabaseOptions {
  readonly directory: string;
  /** Path of the program that check-main.ts was built to. */
  readonly checkScript: string;
  /** Longest time of the check, in ms. Default 60,000. */
  readonly timeoutMs?: number;
}

/** How a process dies of a broken file that it has mapped. */
const CRASHES = new Set<NodeJS.Signals | null>(["SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE"]);

/**
 * Opens, reads and writes the database of a directory in a process of its own, as a damaged file kills the process that
 * maps it. Throws StateError if this process must not open it.
 */
export async function checkDatabase(options: CheckDatabaseOptions): Promise<void> {
  const { directory, checkScript, timeoutMs = 60_000 } = options;
  let end: CheckEnd;
  try {
    end = await runCheck([checkScript, directory], { timeoutMs });
  } catch (cause) {
    throw stateErrorOf(cause, directory);
  }
  if (end.late)
    throw new StateError(
      "unusable",
      `the check of the state in ${directory} took longer than ${timeoutMs} ms: ` +
        "try again when the disk is less busy, or move that directory away",
    );
  const cause = describeEnd(end);
  if (CRASHES.has(end.signal)) throw stateError("damaged", directory, { cause });
  const report = readReport(end.stdout);
  if (report === undefined) throw stateErrorOf(cause, directory);
  if (report.outcome === "malformed")
    throw stateError("damaged", directory, { cause: new Error(report.message) });
  if (report.outcome === "failed")
    throw stateErrorOf(Object.assign(new Error(report.message), { code: report.code }), directory);
}

function describeEnd({ code, signal, stderr }: CheckEnd): Error {
  const how = signal ?? `code ${code ?? "none"}`;
  return new Error(`its check ended with ${how} ${stderr.trim().replaceAll("\n", " ")}`.trimEnd());
}

/** The report in the last line; undefined if there is none. */
function readReport(stdout: string): CheckReport | undefined {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? checkReportSchema.parse(JSON.parse(line)) : undefined;
}
