import { OutsideError } from "../outside/outside-error.js";
import type { OutsideCode } from "../outside/outside-error.js";

/** Why a program does not get the connection it asks for. */
export interface EgressRefusal {
  /** For counters and logs. */
  readonly code: string;
  /** What the program sees. */
  readonly httpStatus: number;
  /** One line for the program's user. */
  readonly reason: string;
}

const STATUSES: Readonly<Record<OutsideCode, number>> = {
  "outside.refused": 403,
  "outside.invalid": 400,
  "outside.not_found": 502,
  "outside.unreachable": 502,
  "outside.timeout": 504,
  "outside.too_large": 502,
  "outside.too_many_redirects": 502,
  "outside.broken": 502,
};

/** The refusal of a connection beyond the limit of a project. */
export function tooManyConnections(limit: number): EgressRefusal {
  return {
    code: "egress.too_many",
    httpStatus: 503,
    reason: `the project has ${limit} connections to the outside, which is the limit; close some or try again`,
  };
}

/** The refusal that an error of the dialler comes to. */
export function egressRefusal(error: unknown): EgressRefusal {
  if (error instanceof OutsideError)
    return { code: error.code, httpStatus: STATUSES[error.code], reason: error.message };
  return { code: "egress.failed", httpStatus: 502, reason: "the connection failed inside the service" };
}
