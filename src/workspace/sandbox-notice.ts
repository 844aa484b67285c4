import type { SandboxState } from "../sandbox/provider.js";

/** What became of the sandbox between two agents. */
export interface SandboxChange {
  /** Generation of the last sandbox; 0 before there was one. */
  readonly earlierGeneration: number;
  readonly generation: number;
  /** State of the last sandbox when its agent was found lost; undefined if it had no agent. */
  readonly foundAs: SandboxState | undefined;
  /** True if /tmp and all processes of the sandbox end with its agent. */
  readonly endsWithAgent: boolean;
}

/** What the model is told of a change, or undefined if nothing was lost. */
export function sandboxNotice(change: SandboxChange): string | undefined {
  const { earlierGeneration, generation, foundAs, endsWithAgent } = change;
  if (earlierGeneration > 0 && generation !== earlierGeneration) {
    return (
      `The sandbox was replaced (generation ${generation}): files in the workspace and the home directory were kept; ` +
      "/tmp, processes and everything else were lost."
    );
  }
  if (foundAs === undefined) return undefined;
  if (foundAs === "stopped" || endsWithAgent) {
    return (
      "The sandbox was stopped and started again: files in the workspace and the home directory were kept; " +
      "/tmp and all processes were lost."
    );
  }
  return "The agent process of the sandbox was started again: all files were kept; processes that were left running were ended.";
}
