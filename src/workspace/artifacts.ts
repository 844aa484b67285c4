import { createHash } from "node:crypto";
import { ErrorKind } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../sandbox/channel/agent-client.js";
import { artifactPath } from "../sandbox/channel/artifact-path.js";
import { Handover } from "./handover.js";
import type { Workspace } from "./workspace.js";

/** Most characters of an id. */
const MAX_ID = 128;

/** The artifact of that name does not exist, or no longer. */
export class NoArtifact extends Error {
  override readonly name = "NoArtifact";
}

/** The id of the artifact of a run: that of the run, or a hash of it if that is too long for an id. */
export function artifactIdOf(runId: string): string {
  return runId.length <= MAX_ID ? runId : createHash("sha256").update(runId).digest("hex");
}

/** The absolute path of an artifact inside the sandbox. */
export function artifactFile({ home }: Workspace, artifactId: string): string {
  return artifactPath(home, artifactId);
}

/** Keeps a text or other bytes as an artifact. Throws AgentFailure, SandboxLost. */
export async function keepArtifact(
  workspace: Workspace,
  { artifactId, data, signal }: { artifactId: string; data: Uint8Array; signal: AbortSignal },
): Promise<void> {
  await workspace.files.writeFile({ path: artifactFile(workspace, artifactId), data, signal });
}

/** A piece of an artifact. */
export interface ArtifactPiece {
  readonly data: Uint8Array;
  /** Size of the whole. */
  readonly totalBytes: number;
}

/**
 * Reads a part of an artifact, piece by piece as the consumer takes them; `limitBytes` 0 is to its end. The first piece is
 * empty and tells the size. Throws NoArtifact, AgentFailure, SandboxLost.
 */
export async function* readArtifact(
  workspace: Workspace,
  options: { artifactId: string; offsetBytes: number; limitBytes: number; signal: AbortSignal },
): AsyncGenerator<ArtifactPiece, void, undefined> {
  const { artifactId, signal, ...range } = options;
  const leaving = new AbortController();
  const pieces = new Handover<ArtifactPiece>();
  const end = () => pieces.end();
  let totalBytes = 0;
  const read = workspace.files.readRange({
    ...range,
    path: artifactFile(workspace, artifactId),
    onInfo({ sizeBytes }) {
      totalBytes = Number(sizeBytes);
      void pieces.give({ data: new Uint8Array(0), totalBytes });
    },
    onData: (data) => pieces.give({ data, totalBytes }),
    signal: AbortSignal.any([signal, leaving.signal]),
  });
  read.then(end, end);
  try {
    for (let piece = await pieces.take(); piece !== undefined; piece = await pieces.take()) yield piece;
    await read;
  } catch (error) {
    if (error instanceof AgentFailure && error.detail.kind === ErrorKind.NOT_FOUND)
      throw new NoArtifact(`there is no artifact ${artifactId}`, { cause: error });
    throw error;
  } finally {
    leaving.abort(new Error("nobody takes the artifact any more"));
    pieces.close();
    await read.catch(() => undefined);
  }
}
