import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Client } from "@connectrpc/connect";
import { extract } from "tar";
import type { ProjectService } from "../../gen/handrail/v1/project_service_pb.js";
import { LocalError } from "./run-action.js";
import type { Spinner } from "./spinner.js";

/** Options of pullFiles. */
export interface PullOptions {
  readonly client: Client<typeof ProjectService>;
  readonly project: string;
  /** File or directory in the workspace. */
  readonly path: string;
  /** A directory on this machine, or a file that ends in `.tar`, `.tar.gz` or `.tgz`. */
  readonly target: string;
  readonly exclude: readonly string[];
  readonly spinner: Spinner;
  readonly signal: AbortSignal;
}

/**
 * Fetches files of a workspace. They come to stand in the target only when all have arrived; a directory that is there
 * is added to. Resolves with the bytes of the archive. Throws LocalError, ConnectError.
 */
export async function pullFiles(
  options: PullOptions,
): Promise<{ bytes: number; warnings: readonly string[] }> {
  const { target } = options;
  const isArchive = /\.(tar|tar\.gz|tgz)$/.test(target);
  const part = `${resolve(target)}.part-${randomUUID().slice(0, 8)}`;
  const warnings: string[] = [];
  try {
    await requireParent(part);
    const archive = isArchive ? part : `${part}.tar`;
    const bytes = await fetchArchive({ ...options, archive, gzip: /gz$/.test(target), warnings });
    if (isArchive) {
      await rename(part, target);
    } else {
      const isNew = (await stat(target).catch(() => undefined)) === undefined;
      const unpackIn = isNew ? part : target;
      if (isNew) await mkdir(unpackIn);
      await extract({ file: archive, cwd: unpackIn });
      if (isNew) await rename(part, target);
    }
    return { bytes, warnings };
  } catch (error) {
    if (error instanceof Error && "syscall" in error)
      throw new LocalError(`the files could not be written: ${error.message}`);
    throw error;
  } finally {
    await rm(part, { recursive: true, force: true });
    await rm(`${part}.tar`, { force: true });
  }
}

async function requireParent(path: string): Promise<void> {
  const found = await stat(dirname(path)).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new LocalError(`${dirname(path)} is not a directory`);
}

async function fetchArchive(
  options: PullOptions & { archive: string; gzip: boolean; warnings: string[] },
): Promise<number> {
  const { client, project: projectId, path, exclude, gzip, archive, warnings, spinner, signal } = options;
  let received = 0;
  let whole: bigint | undefined;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for await (const { message } of client.downloadFiles(
      { projectId, path, gzip, exclude: [...exclude] },
      { signal },
    )) {
      if (message.case === "complete") {
        whole = message.value.bytes;
        warnings.push(...message.value.warnings);
      }
      if (message.case !== "data") continue;
      received += message.value.byteLength;
      spinner.say(`fetching files, ${(received / 2 ** 20).toFixed(0)} MiB`);
      yield message.value;
    }
  };
  await pipeline(Readable.from(pieces()), createWriteStream(archive, { flags: "wx" }));
  if (whole === undefined || Number(whole) !== received)
    throw new LocalError("the archive was cut off; nothing was written. Try again.");
  return received;
}
