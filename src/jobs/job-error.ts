/**
 * Why a job gave no answer. `timeout`: it took too long. `memory`: it needed too much. `crash`: its process ended or
 * its program failed. `refused`: it looked at the input and would not work on it, or too many jobs wait.
 */
export type JobErrorKind = "timeout" | "memory" | "crash" | "refused";

/** A job gave no answer. The message holds no host path. */
export class JobError extends Error {
  override readonly name = "JobError";
  readonly kind: JobErrorKind;
  /** What the program said or the end of its standard error, for logs. May hold host paths. */
  readonly detail: string;

  constructor(kind: JobErrorKind, message: string, options: { detail?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.detail = options.detail ?? "";
  }
}
