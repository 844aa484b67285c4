import { accessSync, closeSync, constants, openSync } from "node:fs";
import type { AgentHandlers } from "../sandbox/channel/agent-handlers.js";

/** What Hello answers besides what it finds itself. */
export interface HelloFacts {
  readonly buildId: string;
  readonly workspaceRoot: string;
  /** Why supervision is reduced. Empty: it is full. */
  readonly reducedReason: string;
  readonly sweptProcesses: number;
  /** Hears of each request. */
  readonly onAsked: () => void;
  /** Runs that have a living process now. */
  readonly livingRuns: () => number;
  /** Those of them that are only left processes. */
  readonly leftRuns: () => number;
}

/** Makes the handler of Hello. */
export function createHelloHandler({ onAsked, ...facts }: HelloFacts): AgentHandlers["hello"] {
  return () => {
    onAsked();
    return Promise.resolve({
      ...facts,
      livingRuns: facts.livingRuns(),
      leftRuns: facts.leftRuns(),
      nodeVersion: process.version,
      fullSupervision: facts.reducedReason === "",
      workspaceWritable: canCreateIn(facts.workspaceRoot),
      pid: process.pid,
    });
  };
}

/** Opens a file without a name. Node has no name for it. */
const O_TMPFILE = 0x410000;

function canCreateIn(directory: string): boolean {
  try {
    closeSync(openSync(directory, O_TMPFILE | constants.O_WRONLY, 0o600));
    return true;
  } catch (error) {
    const isUnknown = error instanceof Error && "code" in error && error.code === "EOPNOTSUPP";
    return isUnknown && mayWrite(directory);
  }
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
