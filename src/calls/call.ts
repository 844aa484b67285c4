import type { Mode } from "../domain/mode.js";
import type { EffectiveLimits } from "./limits.js";
import type { Run } from "./run.js";

/** Names a project: an id is a name inside its tenant. */
export interface ProjectKey {
  readonly tenant: string;
  readonly project: string;
}

/** Which part of a long text is kept. */
export type Keep = "head" | "tail" | "both";

/** What becomes of a call when its last reader leaves. */
export type OnDisconnect = "cancel" | "detach";

/** One execution of one tool. */
export interface Call {
  readonly key: ProjectKey;
  readonly id: string;
  /** Hash of tool, canonical arguments, session and user. */
  readonly fingerprint: string;
  readonly tool: string;
  /** The model's own id. */
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly turnId: string;
  readonly mode: Mode;
  readonly limits: EffectiveLimits;
  /** Ms since 1970. */
  readonly createdAtMs: number;
  readonly run: Run;
}

/** One text for a project, for maps. */
export function projectKeyText(key: ProjectKey): string {
  return `${key.tenant}\0${key.project}`;
}
