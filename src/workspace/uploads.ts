import { posix } from "node:path";
import { FilesFailed } from "./files-failed.js";
import { runProgram } from "./run-program.js";
import type { ProgramEnd } from "./run-program.js";
import { FORGET, LIST_PIECES, UNPACK, UPLOAD_EXIT } from "./upload-scripts.js";
import type { Workspace } from "./workspace.js";

/** Largest archive, in bytes. */
export const MAX_UPLOAD_BYTES = 2 * 1024 ** 3;

/** Digits of an offset in the name of a piece, so that names sort as offsets do. */
const OFFSET_DIGITS = 12;

/** One upload of a workspace. */
export interface Upload {
  readonly workspace: Workspace;
  readonly id: string;
  readonly signal: AbortSignal;
}

/**
 * Keeps one piece of an archive beside the workspace and resolves with the bytes that have come. A piece that has come
 * before is a success. Throws FilesFailed, AgentFailure, SandboxLost.
 */
export async function addPiece(
  upload: Upload,
  { offset, data }: { offset: number; data: Uint8Array },
): Promise<number> {
  const { workspace, id, signal } = upload;
  const received = await receivedBytes(upload);
  const end = offset + data.byteLength;
  if (end <= received) return received;
  if (offset !== received)
    throw new FilesFailed("offset", `the upload has ${received} bytes; go on at offset ${received}`, {
      expectedOffset: received,
    });
  if (end > MAX_UPLOAD_BYTES)
    throw new FilesFailed("size", `an archive may have ${MAX_UPLOAD_BYTES} bytes, and this has more`);
  const name = `piece.${String(offset).padStart(OFFSET_DIGITS, "0")}`;
  await workspace.files.writeFile({
    path: `${uploadsDir(workspace)}/${directoryOf(id)}/${name}`,
    data,
    signal,
  });
  return end;
}

/** Unpacks an archive whose pieces have all come and resolves with the number of entries. Throws as `addPiece` does. */
export async function unpack(
  upload: Upload,
  { path, isReplacing }: { path: string; isReplacing: boolean },
): Promise<number> {
  const { workspace } = upload;
  const env = { TARGET: insideOf(workspace, path), MODE: isReplacing ? "replace" : "merge" };
  const { code, stdout, stderr } = await script(upload, UNPACK, env);
  if (code === 0) {
    await script(upload, FORGET);
    return Number(stdout.trim());
  }
  const said = stderr.trim().slice(0, 1000);
  if (code === UPLOAD_EXIT.archive) {
    await script(upload, FORGET);
    throw new FilesFailed("archive", `the archive cannot be unpacked, nothing was changed: ${said}`);
  }
  if (code === UPLOAD_EXIT.space)
    throw new FilesFailed("files", `${said}; nothing was changed. Remove files and finish the upload again.`);
  throw new FilesFailed(
    "files",
    `the files could not all be put in place, some may have been: ${said}. Mend that and finish the upload again.`,
  );
}

/** The absolute path of a path of the workspace. Throws FilesFailed if it leads out. */
export function insideOf({ root }: Workspace, path: string): string {
  const normal = posix.normalize(path === "" ? "." : path);
  if (posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../") || path.includes("\0"))
    throw new FilesFailed("files", `${JSON.stringify(path)} is not a path inside the workspace`);
  return posix.join(root, normal);
}

async function receivedBytes(upload: Upload): Promise<number> {
  const { code, stdout, stderr } = await script(upload, LIST_PIECES);
  if (code !== 0) throw new FilesFailed("files", `the upload cannot be kept: ${stderr.trim().slice(0, 500)}`);
  let received = 0;
  for (const line of stdout.split("\n")) {
    const [, offset, size] = /^piece\.(\d+) (\d+)$/.exec(line) ?? [];
    if (offset === undefined || Number(offset) !== received) break;
    received += Number(size);
  }
  return received;
}

/** The name of an upload's directory; the id itself may be `..` or begin as an option does. */
function directoryOf(id: string): string {
  return `upload.${id}`;
}

function uploadsDir({ home }: Workspace): string {
  return `${home}/.handrail/uploads`;
}

function script(
  { workspace, id, signal }: Upload,
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramEnd> {
  return runProgram(workspace, {
    argv: ["bash", "-c", text],
    env: { UPLOADS: uploadsDir(workspace), UPLOAD: directoryOf(id), ...env },
    signal,
  });
}
