import { ConnectError } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import type { Call } from "../calls/call.js";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { CallMetrics } from "../metrics/call-metrics.js";
import { raceIterable } from "./race-iterable.js";

/** Where observations go. */
export interface CallLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One line for each RPC that was refused or broke; the runs of calls are told by `tellSettled`. */
export function observe(log: CallLog): Interceptor {
  return (next) => async (request) => {
    if (!request.service.typeName.startsWith("handrail.")) return next(request);
    const startedAt = performance.now();
    const report = (error: unknown) => {
      const { code, rawMessage } = ConnectError.from(error);
      log.warn(
        { rpc: request.method.name, code, elapsed_ms: Math.round(performance.now() - startedAt) },
        `rpc refused: ${rawMessage}`,
      );
    };
    try {
      const response = await next(request);
      if (!response.stream) return response;
      const message = raceIterable(response.message, {
        race: (pending) =>
          pending.catch((error: unknown) => {
            report(error);
            throw error;
          }),
        onEnd: () => undefined,
      });
      return { ...response, message };
    } catch (error) {
      report(error);
      throw error;
    }
  };
}

/** One line and its counts for each call, when its result stands, whether or not anyone reads it. */
export function tellSettled({ log, metrics }: { log: CallLog; metrics: CallMetrics }, call: Call): void {
  const { run, facts, result } = call;
  const outcome = Outcome[result?.outcome ?? Outcome.UNSPECIFIED];
  metrics.ended({
    tool: facts.tool,
    outcome,
    totalMs: result?.timings?.totalMs ?? 0,
    isDeduplicated: facts.sourceId !== "",
    isRecovered: run.recovered,
  });
  log.info(
    {
      call_id: call.id,
      tenant: call.key.tenant,
      project: call.key.project,
      session: facts.sessionId,
      tool: facts.tool,
      mode: facts.mode,
      outcome,
      error: result?.error?.code ?? "",
      ...(facts.sourceId === "" ? {} : { source_call_id: facts.sourceId }),
      ...(run.recovered ? { recovered: true } : {}),
      generation: run.generation,
      queue_ms: Math.round(run.timings.queueMs),
      sandbox_ms: Math.round(run.timings.sandboxMs),
      run_ms: Math.round(run.timings.runMs),
      total_ms: result?.timings?.totalMs ?? 0,
    },
    "call ended",
  );
}
