import { artifactFile, artifactIdOf, keepArtifact } from "../workspace/artifacts.js";
import type { WorkspaceManager } from "../workspace/workspace.js";
import type { KeepWhole } from "./cut-result.js";

/** Longest writing of an artifact, in ms. */
const WRITE_MS = 10_000;

/** Keeps long texts as artifacts in the live workspace of a call's project; none is woken for it. */
export function keepInWorkspace(options: {
  workspaces: Pick<WorkspaceManager, "peek">;
  maxBytes: number;
  log: { warn(fields: object, message: string): void };
}): KeepWhole {
  const { workspaces, maxBytes, log } = options;
  return async (call, { kind, data }) => {
    const workspace = workspaces.peek(call.key);
    if (workspace === undefined) return undefined;
    const id = artifactIdOf(`${call.id}.${kind}`);
    try {
      const signal = AbortSignal.timeout(WRITE_MS);
      await keepArtifact(workspace, { artifactId: id, data: data.subarray(0, maxBytes), signal });
      const extent = data.length <= maxBytes ? "whole" : "beginning";
      return { id, path: artifactFile(workspace, id), extent };
    } catch (error) {
      log.warn({ err: error, call_id: call.id }, "a long result could not be kept whole");
      return undefined;
    }
  };
}
