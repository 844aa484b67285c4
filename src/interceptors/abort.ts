import { Code, ConnectError } from "@connectrpc/connect";
import type { Interceptor, StreamRequest, UnaryRequest } from "@connectrpc/connect";
import { AbortReason } from "../calls/abort-reason.js";
import { kReader } from "../calls/call-context.js";
import { kTransport } from "../rpc/context-keys.js";
import type { Reason } from "../domain/reasons.js";
import type { AbortSourceName } from "../calls/abort-reason.js";
import { requestTimeoutMs } from "../rpc/deadline.js";
import { statusError } from "../rpc/status.js";
import { raceIterable } from "./race-iterable.js";

/**
 * Gives each RPC a reader scope: a signal with a typed reason that says who left. Every handler is raced with it, so
 * that no caller waits beyond its deadline. An RPC that is over never aborts.
 */
export function abort(): Interceptor {
  return (next) => async (request) => {
    if (!request.service.typeName.startsWith("handrail.")) return next(request);
    const scope = openScope(request);
    request.contextValues.set(kReader, { signal: scope.signal, deadlineAtMs: scope.deadlineAtMs });
    try {
      scope.check();
      const response = await scope.race(next({ ...request, signal: scope.signal }));
      if (!response.stream) {
        scope.close();
        return response;
      }
      const message = raceIterable(response.message, {
        race: (pending) => scope.race(pending),
        onEnd: () => scope.close(),
      });
      return { ...response, message };
    } catch (error) {
      scope.close();
      throw error;
    }
  };
}

/** RPCs whose calls a drain ends with a result, which their readers are to get. */
const SETTLED_BY_DRAIN: ReadonlySet<string> = new Set(["ExecuteTool", "RunTool", "AttachCall"]);

interface Scope {
  readonly signal: AbortSignal;
  readonly deadlineAtMs: number | undefined;
  /** Throws if the caller has gone. */
  check(): void;
  race<T>(pending: Promise<T>): Promise<T>;
  close(): void;
}

function openScope(request: UnaryRequest | StreamRequest): Scope {
  const controller = new AbortController();
  const transport = request.contextValues.get(kTransport);
  const timeoutMs = requestTimeoutMs(request.header);
  const pendingRejects = new Set<(error: Error) => void>();
  const onAbort = () => {
    const reason = classify(request.signal.reason, transport?.disconnected() ?? false);
    if (reason.source === "shutdown" && SETTLED_BY_DRAIN.has(request.method.name)) return;
    controller.abort(reason);
    for (const reject of pendingRejects) reject(statusOf(reason));
  };
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    deadlineAtMs: timeoutMs === undefined ? undefined : Date.now() + timeoutMs,
    check() {
      if (controller.signal.aborted) throw statusOf(controller.signal.reason as AbortReason);
    },
    race: (pending) =>
      new Promise((resolve, reject) => {
        const settle = (end: () => void) => {
          pendingRejects.delete(reject);
          end();
        };
        pendingRejects.add(reject);
        pending.then(
          (value) => settle(() => resolve(value)),
          (error: unknown) => settle(() => reject(asStatus(error))),
        );
        if (controller.signal.aborted) reject(statusOf(controller.signal.reason as AbortReason));
      }),
    close: () => request.signal.removeEventListener("abort", onAbort),
  };
}

function classify(reason: unknown, disconnected: boolean): AbortReason {
  if (reason instanceof AbortReason) return reason;
  if (reason instanceof ConnectError && reason.code === Code.DeadlineExceeded)
    return new AbortReason("deadline");
  if (reason instanceof ConnectError && reason.code === Code.Unavailable) return new AbortReason("shutdown");
  return new AbortReason(disconnected ? "disconnect" : "client");
}

const STATUS_REASONS: Readonly<Record<AbortSourceName, Reason>> = {
  client: "CANCELED",
  disconnect: "CANCELED",
  deadline: "DEADLINE_EXCEEDED",
  cancel_call: "CANCELED",
  abort_project: "CANCELED",
  shutdown: "DRAINING",
};

function statusOf(reason: AbortReason): ConnectError {
  const status = STATUS_REASONS[reason.source];
  const words = status === "DEADLINE_EXCEEDED" ? "the deadline of the request passed" : reason.message;
  return statusError(status, words);
}

function asStatus(error: unknown): Error {
  if (error instanceof AbortReason) return statusOf(error);
  return error instanceof Error ? error : new Error(String(error));
}
