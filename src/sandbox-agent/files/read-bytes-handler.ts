import { closeSync } from "node:fs";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type {
  ReadBytesRequest,
  ReadBytesResponseSchema,
} from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers, HandlerContext, Respond } from "../../sandbox/channel/agent-handlers.js";
import type { ReadAt } from "./byte-cursor.js";
import { fileInfo } from "./file-info.js";
import { openFile } from "./open-file.js";
import type { FilePlaces, OpenFile } from "./open-file.js";
import { readAtOf } from "./read-at.js";

const pieceBytes = 64 * 1024;
const chunkBytes = 4 * pieceBytes;
/** Most bytes of a file that does not tell its size, as in /proc, where the caller sets no limit. */
const unsizedLimitBytes = 64 * 1024 * 1024;

/** Makes the handler of ReadBytes. */
export function createReadBytesHandler(places: FilePlaces): AgentHandlers["readBytes"] {
  return async (request, respond, { signal }) => {
    checkRequest(request);
    const file = openFile(request.path, places);
    const readAt = readAtOf(file, request.path);
    let reading: Promise<unknown> = Promise.resolve();
    const tracked: ReadAt = (buffer, position) => {
      const result = readAt(buffer, position);
      reading = result.catch(() => undefined);
      return result;
    };
    try {
      checkSize(request, file.stat.size);
      await sendBytes({ request, file, readAt: tracked, respond, signal });
    } finally {
      await reading;
      closeSync(file.fd);
    }
  };
}

interface SendBytesOptions extends HandlerContext {
  readonly request: ReadBytesRequest;
  readonly file: OpenFile;
  readonly readAt: ReadAt;
  readonly respond: Respond<MessageInitShape<typeof ReadBytesResponseSchema>>;
}

/** Sends the bytes while the next are being read. */
async function sendBytes({ request, file, readAt, respond, signal }: SendBytesOptions): Promise<void> {
  const start = Number(request.offsetBytes);
  const end = start + limitOf(request, file.stat.size);
  const memory = [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)] as const;
  const readNext = (turn: number, position: number): Promise<Buffer> => {
    const buffer = memory[turn % 2 === 0 ? 0 : 1].subarray(0, Math.min(chunkBytes, end - position));
    return buffer.length === 0
      ? Promise.resolve(buffer)
      : readAt(buffer, position).then((count) => buffer.subarray(0, count));
  };

  let info: ReturnType<typeof fileInfo> | undefined = fileInfo(file);
  let position = start;
  let chunk = await readNext(0, position);
  for (let turn = 1; chunk.length > 0; turn += 1) {
    position += chunk.length;
    checkSize(request, BigInt(position));
    const next = readNext(turn, position);
    next.catch(() => undefined);
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      await respond({ ...(info !== undefined && { info }), data: chunk.subarray(at, at + pieceBytes) });
      info = undefined;
      signal.throwIfAborted();
    }
    chunk = await next;
  }
  if (info !== undefined) await respond({ info });
}

function limitOf({ limitBytes }: ReadBytesRequest, sizeBytes: bigint): number {
  if (limitBytes > 0n) return Number(limitBytes);
  return sizeBytes === 0n ? unsizedLimitBytes : Number.MAX_SAFE_INTEGER / 2;
}

function checkRequest({ offsetBytes, limitBytes, maxFileBytes }: ReadBytesRequest): void {
  for (const [name, value] of Object.entries({ offsetBytes, limitBytes, maxFileBytes }))
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER) / 2n)
      throw agentFailure(ErrorKind.INVALID, `${name} ${value} is below 0 or too large`);
}

function checkSize({ path, maxFileBytes }: ReadBytesRequest, sizeBytes: bigint): void {
  if (maxFileBytes > 0n && sizeBytes > maxFileBytes)
    throw agentFailure(
      ErrorKind.TOO_LARGE,
      `${path} has ${sizeBytes} bytes or more, above the limit of ${maxFileBytes} bytes`,
    );
}
