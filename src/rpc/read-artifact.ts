import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ReadArtifactRequest,
  ReadArtifactResponseSchema,
} from "../../gen/handrail/v1/tool_service_pb.js";
import type { Masker } from "../secrets/masker.js";
import { NoArtifact, readArtifact as readFrom } from "../workspace/artifacts.js";
import type { Workspace } from "../workspace/workspace.js";
import { filesStatus } from "./files-status.js";
import { notFound } from "./preconditions.js";
import { statusError } from "./status.js";

/** Far beyond any artifact, and still exact with what is added to it. */
const FAR_BYTES = 2n ** 50n;

type Piece = MessageInitShape<typeof ReadArtifactResponseSchema>;

/**
 * Streams a part of an artifact. Values of secrets are covered by as many asterisks, also where the part begins or ends
 * inside one, so that offsets are those of the whole.
 */
export async function* readArtifact(
  { artifactId, offsetBytes, limitBytes }: ReadArtifactRequest,
  { workspace, masker, signal }: { workspace: Workspace; masker: Masker; signal: AbortSignal },
): AsyncGenerator<Piece, void, undefined> {
  const offset = clamp(offsetBytes);
  const limit = clamp(limitBytes);
  for (const [field, value] of Object.entries({ offset_bytes: offset, limit_bytes: limit }))
    if (value < 0) throw negative(field, value);
  const from = Math.max(0, offset - masker.reachBytes);
  const window = new Window({ skip: offset - from, length: limit === 0 ? Number.POSITIVE_INFINITY : limit });
  const covered = masker.coverStream();
  let position = offset;
  let totalBytes = 0n;
  const pieceOf = (bytes: Uint8Array): Piece[] => {
    const data = Uint8Array.from(window.take(bytes));
    if (data.length === 0) return [];
    position += data.length;
    return [{ data, offsetBytes: BigInt(position - data.length), totalBytes }];
  };
  try {
    const pieces = readFrom(workspace, {
      artifactId,
      offsetBytes: from,
      limitBytes: limit === 0 ? 0 : offset - from + limit + masker.reachBytes,
      signal,
    });
    for await (const piece of pieces) {
      totalBytes = BigInt(piece.totalBytes);
      yield* pieceOf(covered.push(piece.data));
    }
    yield* pieceOf(covered.flush());
    if (position === offset) yield { offsetBytes: BigInt(offset), totalBytes };
  } catch (error) {
    throw error instanceof NoArtifact ? notFound() : filesStatus(error);
  }
}

/** The part of a stream that is asked for. */
class Window {
  #skip: number;
  #left: number;

  constructor({ skip, length }: { skip: number; length: number }) {
    this.#skip = skip;
    this.#left = length;
  }

  take(bytes: Uint8Array): Uint8Array {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    const taken = bytes.subarray(skipped, skipped + Math.min(this.#left, bytes.length));
    this.#left -= taken.length;
    return taken;
  }
}

function clamp(bytes: bigint): number {
  return Number(bytes > FAR_BYTES ? FAR_BYTES : bytes);
}

function negative(field: string, value: number): Error {
  const description = `is ${value}; it must be 0 or more`;
  return statusError("INVALID_REQUEST", `${field} ${description}`, { violations: [{ field, description }] });
}
