import type { MessageInitShape } from "@bufbuild/protobuf";
import { UploadMode } from "../../gen/handrail/v1/project_service_pb.js";
import type {
  DownloadFilesRequest,
  DownloadFilesResponseSchema,
  UploadFilesRequest,
  UploadFilesResponseSchema,
} from "../../gen/handrail/v1/project_service_pb.js";
import { download } from "../workspace/download.js";
import { addPiece, insideOf, unpack } from "../workspace/uploads.js";
import type { Workspace } from "../workspace/workspace.js";
import { filesStatus } from "./files-status.js";
import { requireFields } from "./preconditions.js";
import { statusError } from "./status.js";

const MAX_PIECE_BYTES = 1024 * 1024;
const MAX_EXCLUDES = 100;

/** Takes one piece of an upload, and unpacks it with the last. */
export async function uploadFiles(
  request: UploadFilesRequest,
  options: { workspace: Workspace; callsRunning: () => number; signal: AbortSignal },
): Promise<MessageInitShape<typeof UploadFilesResponseSchema>> {
  requireFields(request, ["uploadId"]);
  const { workspace, callsRunning, signal } = options;
  const { uploadId: id, data, finish, path, mode } = request;
  const offset = Number(request.offset);
  if (offset < 0) throw invalid("offset", "is negative");
  if (data.byteLength > MAX_PIECE_BYTES)
    throw invalid("data", `has ${data.byteLength} bytes, and a piece may have ${MAX_PIECE_BYTES}`);
  insideOf(workspace, path);
  const upload = { workspace, id, signal };
  const received = await addPiece(upload, { offset, data });
  if (!finish) return { receivedBytes: BigInt(received) };
  const running = callsRunning();
  const entries = await unpack(upload, { path, isReplacing: mode === UploadMode.REPLACE });
  return {
    receivedBytes: BigInt(received),
    finished: true,
    entries,
    callsRunning: Math.max(running, callsRunning()),
  };
}

/** Sends files as an archive. */
export async function* downloadFiles(
  { path, gzip, exclude }: DownloadFilesRequest,
  { workspace, signal }: { workspace: Workspace; signal: AbortSignal },
): AsyncGenerator<MessageInitShape<typeof DownloadFilesResponseSchema>, void, undefined> {
  if (exclude.length > MAX_EXCLUDES) throw invalid("exclude", `has more than ${MAX_EXCLUDES} names`);
  const bad = exclude.find((name) => name === "" || name.includes("\0"));
  if (bad !== undefined) throw invalid("exclude", "has an empty name or one with a NUL character");
  try {
    const pieces = download(workspace, { path, gzip, exclude, signal });
    for (let next = await pieces.next(); ; next = await pieces.next()) {
      if (next.done === true) {
        const { bytes, warnings } = next.value;
        yield { message: { case: "complete", value: { bytes: BigInt(bytes), warnings: [...warnings] } } };
        return;
      }
      yield { message: { case: "data", value: next.value } };
    }
  } catch (error) {
    throw filesStatus(error);
  }
}

function invalid(field: string, description: string): Error {
  return statusError("INVALID_REQUEST", `${field} ${description}`, { violations: [{ field, description }] });
}
