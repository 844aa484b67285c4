import type { ConnectError } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";

import { parseConnectTimeout, parseGrpcTimeout } from "../rpc/deadline.js";
import { refusal } from "./refusal.js";
import type { RequestProtocol } from "./request-protocol.js";

/** Longest deadline in ms: the longest wait of a timer of Node. Longer ones are lowered to it. */
const maxDeadlineMs = 2 ** 31 - 1;
const maxShownLength = 40;

interface DeadlineFormat {
  readonly header: string;
  readonly usage: string;
  readonly longest: string;
  parseMs(value: string): number | undefined;
}

const connectFormat: DeadlineFormat = {
  header: "connect-timeout-ms",
  usage: "1 to 10 digits, in milliseconds",
  longest: String(maxDeadlineMs),
  parseMs: parseConnectTimeout,
};

const grpcFormat: DeadlineFormat = {
  header: "grpc-timeout",
  usage: "1 to 8 digits and a unit of H, M, S, m, u or n",
  longest: `${Math.floor(maxDeadlineMs / 1000)}S`,
  parseMs: parseGrpcTimeout,
};

/**
 * Checks the deadline header of a request and lowers one beyond 2^31-1 ms to that, in place. Answers why the request is
 * refused: INVALID_ARGUMENT for a value that is no deadline, DEADLINE_EXCEEDED for 0. Undefined if it may go on.
 */
export function checkDeadline(protocol: RequestProtocol, header: Headers): ConnectError | undefined {
  const format = protocol === "grpc" || protocol === "grpc-web" ? grpcFormat : connectFormat;
  const value = header.get(format.header);
  if (value === null) return undefined;
  const deadlineMs = format.parseMs(value);
  if (deadlineMs === undefined) {
    return refusal({
      code: Code.InvalidArgument,
      reason: "INVALID_DEADLINE",
      message: `${format.header} "${value.slice(0, maxShownLength)}" is no deadline: send ${format.usage}, or leave it out`,
    });
  }
  if (deadlineMs === 0) {
    return refusal({
      code: Code.DeadlineExceeded,
      reason: "DEADLINE_EXCEEDED",
      message: `${format.header} "${value}": the deadline passed before the request arrived`,
    });
  }
  if (deadlineMs > maxDeadlineMs) header.set(format.header, format.longest);
  return undefined;
}
