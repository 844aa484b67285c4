import { constants } from "node:os";
import { StateError, type StateFailure } from "../store.js";

const { ENOSPC, EDQUOT, EROFS, EACCES, EPERM } = constants.errno;

/** By error number of the system, or of LMDB (below -30000). */
const FAILURES = new Map<number | string, StateFailure>([
  [ENOSPC, "full"],
  ["ENOSPC", "full"],
  [EDQUOT, "full"],
  ["EDQUOT", "full"],
  [-30792, "full"],
  [EROFS, "read-only"],
  ["EROFS", "read-only"],
  [EACCES, "read-only"],
  ["EACCES", "read-only"],
  [EPERM, "read-only"],
  ["EPERM", "read-only"],
  [-30778, "damaged"],
  [-30779, "damaged"],
  [-30784, "damaged"],
  [-30793, "damaged"],
  [-30794, "damaged"],
  [-30796, "damaged"],
  [-30797, "damaged"],
]);

const ADVICE: Record<Exclude<StateFailure, "held" | "unusable">, string> = {
  damaged:
    "is damaged: move that directory away or restore it from a copy; " +
    "only the history of calls and sessions is lost, no project files",
  "read-only": "cannot be written to: give this user write access, or choose another directory",
  full: "has no room left on its disk: free some, or choose a directory on another disk",
};

/** The error for a failure of the state in a directory. */
export function stateError(
  failure: keyof typeof ADVICE,
  directory: string,
  options: { cause?: unknown } = {},
): StateError {
  return new StateError(failure, `the state in ${directory} ${ADVICE[failure]}`, options);
}

/** The error for what the system or LMDB threw, by its `code`; one that is a StateError already stays as it is. */
export function stateErrorOf(cause: unknown, directory: string): StateError {
  if (cause instanceof StateError) return cause;
  const failure = FAILURES.get(codeOf(cause) ?? "");
  if (failure !== undefined && failure !== "held" && failure !== "unusable")
    return stateError(failure, directory, { cause });
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StateError("unusable", `the state in ${directory} cannot be used: ${why}`, { cause });
}

/** The `code` that the system or LMDB gave an error. */
export function codeOf(error: unknown): number | string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "number" || typeof error.code === "string" ? error.code : undefined;
}
