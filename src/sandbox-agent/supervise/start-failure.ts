import { type ProcessSpec, StartError, type StartFailure } from "./supervisor.js";

/** What was being done when a start failed; the order is that of the launcher's numbers, from 1. */
export const START_STAGES = ["request", "script", "pipes", "fork", "cwd", "exec"] as const;

/** What was being done when a start failed. */
export type StartStage = (typeof START_STAGES)[number];

const EXHAUSTED = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT"]);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not a directory",
  EACCES: "may not be used: permission denied",
  ELOOP: "has too many symbolic links",
  ENAMETOOLONG: "is too long a path",
  ENOEXEC: "is not a program for this machine",
};

function failureOf(stage: StartStage, code: string): StartFailure {
  if (EXHAUSTED.has(code)) return "resources";
  if (stage === "cwd") return "working-directory";
  return stage === "exec" ? "not-executable" : "internal";
}

/** Makes the error of a start that failed in `stage` with the system error `code`, such as `ENOENT`. */
export function startFailure(
  spec: ProcessSpec,
  { stage, code }: { stage: StartStage; code: string },
): StartError {
  const failure = failureOf(stage, code);
  const reason = REASONS[code] ?? "cannot be used";
  if (failure === "resources")
    return new StartError(
      failure,
      `no process could be started: processes, memory or files ran out (${code})`,
    );
  if (failure === "working-directory")
    return new StartError(failure, `the working directory ${JSON.stringify(spec.cwd)} ${reason} (${code})`);
  if (code === "E2BIG")
    return new StartError(
      "not-executable",
      "the arguments and the environment are too large (E2BIG): the limit is 128 KiB for one string; pass a script",
    );
  if (failure === "not-executable")
    return new StartError(failure, `the program ${JSON.stringify(spec.argv[0])} ${reason} (${code})`);
  return new StartError(failure, `the process could not be prepared (${stage}: ${code})`);
}
