import type { GuardedDialler } from "../outside/guarded-dialler.js";
import type { EgressCounters } from "./egress-counters.js";

/** Where connections to the outside are told of, a line each. */
export interface EgressLog {
  info(fields: object, message: string): void;
}

/** The way from sandboxes to the outside, shared by all projects. */
export interface EgressGate {
  /** Judges and connects. */
  readonly dial: GuardedDialler;
  readonly counters: EgressCounters;
  readonly log: EgressLog;
  /** Connections of one project at once. */
  readonly maxConnections: number;
  /** Longest time for a name and a connection, in ms. */
  readonly connectMs: number;
  /** Longest time without a byte in either direction, in ms. */
  readonly idleMs: number;
}

/** The port of a sandbox's loopback on which its proxy listens if it is free. */
export const EGRESS_PROXY_PORT = 3128;
