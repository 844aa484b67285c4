import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Client } from "@connectrpc/connect";
import { create } from "tar";
import { UploadMode } from "../../gen/handrail/v1/project_service_pb.js";
import type { ProjectService } from "../../gen/handrail/v1/project_service_pb.js";
import { LocalError } from "./run-action.js";
import type { Spinner } from "./spinner.js";

const PIECE_BYTES = 1024 * 1024;

/** Options of pushFiles. */
export interface PushOptions {
  readonly client: Client<typeof ProjectService>;
  readonly project: string;
  /** Directory on this machine. */
  readonly directory: string;
  /** Directory in the workspace. */
  readonly path: string;
  /** Names that are left out wherever they are. */
  readonly exclude: readonly string[];
  readonly isReplacing: boolean;
  readonly spinner: Spinner;
  readonly signal: AbortSignal;
}

/** Sends a directory to a workspace and resolves with how many entries arrived. Throws LocalError, ConnectError. */
export async function pushFiles(options: PushOptions): Promise<{ entries: number; bytes: number }> {
  const { client, project: projectId, directory, path, isReplacing, spinner, signal } = options;
  await requireDirectory(directory);
  await client.createProject({ projectId }, { signal });
  const uploadId = randomUUID();
  let offset = 0;
  const send = async (data: Uint8Array, finish: boolean) => {
    const mode = isReplacing ? UploadMode.REPLACE : UploadMode.MERGE;
    const piece = { projectId, uploadId, offset: BigInt(offset), data, finish, path, mode };
    const answer = await client.uploadFiles(piece, { signal });
    offset += data.byteLength;
    spinner.say(`sending files, ${(offset / PIECE_BYTES).toFixed(0)} MiB`);
    return answer;
  };
  for await (const piece of piecesOf(archiveOf(options))) await send(piece, false);
  const { entries } = await send(new Uint8Array(0), true);
  return { entries, bytes: offset };
}

async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new LocalError(`${path} is not a directory`);
}

function archiveOf({ directory, exclude }: PushOptions): AsyncIterable<Buffer> {
  const isKept = (name: string): boolean => !name.split("/").some((part) => exclude.includes(part));
  return create({ cwd: directory, gzip: true, portable: true, filter: isKept }, ["."]);
}

/** The same bytes in pieces of at most 1 MiB. */
async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + PIECE_BYTES - size);
      held.push(part);
      size += part.byteLength;
      at += part.byteLength;
      if (size < PIECE_BYTES) continue;
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  if (size > 0) yield Buffer.concat(held);
}
