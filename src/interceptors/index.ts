import type { Interceptor } from "@connectrpc/connect";
import type { CallMetrics } from "../metrics/call-metrics.js";
import { abort } from "./abort.js";
import { admit } from "./admit.js";
import type { AdmitOptions } from "./admit.js";
import { callId } from "./call-id.js";
import { dedup } from "./dedup.js";
import type { DedupOptions } from "./dedup.js";
import { identity } from "./identity.js";
import { mask } from "./mask.js";
import type { MaskOptions } from "./mask.js";
import { observe, tellSettled } from "./observe.js";
import type { CallLog } from "./observe.js";
import { recover } from "./recover.js";
import type { RecoverOptions } from "./recover.js";
import { runCall } from "./run-call.js";
import type { RunCallOptions } from "./run-call.js";
import { truncate } from "./truncate.js";
import type { TruncateOptions } from "./truncate.js";

/** What the chain needs. */
export type ChainOptions = AdmitOptions &
  Omit<RunCallOptions & DedupOptions, "onSettled"> &
  RecoverOptions &
  MaskOptions &
  TruncateOptions & {
    readonly log: CallLog;
    readonly metrics: CallMetrics;
  };

/** The chain, in order: the first is outermost. */
export function createInterceptors(options: ChainOptions): Interceptor[] {
  const { log, metrics, registry, policy } = options;
  const onSettled = (call: Parameters<RunCallOptions["onSettled"]>[0]) => tellSettled({ log, metrics }, call);
  return [
    // Nothing is done for a caller who is not known.
    identity(),
    // What happens to an RPC is told whatever happens further in.
    observe(log),
    // From here on every wait ends with the caller's patience.
    abort(),
    // A retry meets its call before anything is decided a second time.
    callId({ registry, heartbeatMs: policy.heartbeatMs, onFound: (how) => metrics.found(how) }),
    // Whatever can be refused is refused before anything is started.
    admit(options),
    // What is equal to a call of the same turn needs no run of its own.
    dedup({ ...options, onSettled }),
    // The seam: outside is one reader, inside is one run.
    runCall({ ...options, onSettled }),
    // Whatever a tool returns fits the cap of its call.
    truncate(options),
    // Secrets are replaced before anything is cut, so that no piece of one is left.
    mask(options),
    // Innermost, so that a second run is seen by all others as the same call.
    recover(options),
  ];
}
