import type { Keep } from "./call.js";

/** The limits of the service for all calls. */
export interface CallPolicy {
  /** Wait for a free place if the caller sets none, in ms. Default 30,000. */
  readonly queueMs: number;
  /** Longest start of a sandbox, in ms. Default 60,000. */
  readonly sandboxMs: number;
  /** Text kept in a result, in bytes; a caller may lower it. Default 32,768. */
  readonly maxTextBytes: number;
  /** Life of a detached call without a reader, in ms. Default 600,000. */
  readonly detachedMs: number;
  /** Quiet time of a stream before a heartbeat, in ms. Default 15,000. */
  readonly heartbeatMs: number;
  /** Time between SIGTERM and SIGKILL of an aborted call, in ms. Default 100. */
  readonly killGraceMs: number;
  /** Most bytes of the output of one call that are kept whole beside its result. Default 64 MiB. */
  readonly spoolBytes: number;
  /** How long results and long outputs are kept, in ms. Default 24 h. */
  readonly keptMs: number;
}

/** The policy if nothing is configured. */
export const DEFAULT_POLICY: CallPolicy = {
  queueMs: 30_000,
  sandboxMs: 60_000,
  maxTextBytes: 32 * 1024,
  detachedMs: 600_000,
  heartbeatMs: 15_000,
  killGraceMs: 100,
  spoolBytes: 64 * 1024 * 1024,
  keptMs: 86_400_000,
};

/** The run limits of a tool; none where they are absent. */
export interface ToolLimits {
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** What the caller wishes; 0 and absent mean no wish. */
export interface LimitWishes {
  readonly queueMs: number;
  readonly runMs: number;
  readonly idleMs: number;
  readonly maxTextBytes: number;
  readonly keep: Keep | undefined;
}

/** The limits that hold for one call; 0 means none. */
export interface EffectiveLimits {
  readonly queueMs: number;
  /** Longest run: the lower of `workMs` and `deadlineMs`. */
  readonly runMs: number;
  /** Longest run for whoever calls, so without the deadline of one caller. */
  readonly workMs: number;
  /** From admission until the call has to end so that its result reaches its caller before the deadline. */
  readonly deadlineMs: number;
  readonly idleMs: number;
  readonly maxTextBytes: number;
  readonly keep: Keep | undefined;
}

/** The largest delay that a timer of Node takes; a larger one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * What is held back of a deadline so that the result reaches the caller before it: 5 % of the time left, at least
 * 250 ms, at most 1 s, never over half.
 */
export function deadlineReserveMs(leftMs: number): number {
  return Math.min(Math.max(250, Math.min(1000, leftMs * 0.05)), leftMs / 2);
}

/** The limits that hold: the lowest of what tool, caller, policy and deadline allow. */
export function effectiveLimits(options: {
  policy: CallPolicy;
  tool: ToolLimits | undefined;
  /** What the arguments of the call ask for, in ms. */
  argumentMs: number | undefined;
  wishes: LimitWishes;
  /** Time left to the deadline of the RPC, in ms; undefined where it does not end the call. */
  deadlineLeftMs: number | undefined;
}): EffectiveLimits {
  const { policy, tool, argumentMs, wishes, deadlineLeftMs } = options;
  const bounds: number[] = [];
  if (tool !== undefined) bounds.push(argumentMs ?? tool.defaultMs, tool.maxMs);
  if (wishes.runMs > 0) bounds.push(wishes.runMs);
  const workMs = lowest(bounds);
  const deadlineMs =
    deadlineLeftMs === undefined
      ? 0
      : lowest([Math.max(1, deadlineLeftMs - deadlineReserveMs(deadlineLeftMs))]);
  const text =
    wishes.maxTextBytes > 0 ? Math.min(wishes.maxTextBytes, policy.maxTextBytes) : policy.maxTextBytes;
  return {
    queueMs: wishes.queueMs > 0 ? Math.min(wishes.queueMs, MAX_TIMER_MS) : policy.queueMs,
    runMs: lowest([workMs, deadlineMs].filter((ms) => ms > 0)),
    workMs,
    deadlineMs,
    idleMs: Math.min(wishes.idleMs, MAX_TIMER_MS),
    maxTextBytes: text,
    keep: wishes.keep,
  };
}

function lowest(bounds: readonly number[]): number {
  return bounds.length === 0 ? 0 : Math.min(MAX_TIMER_MS, Math.round(Math.min(...bounds)));
}
