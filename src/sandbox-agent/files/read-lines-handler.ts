import { closeSync } from "node:fs";
import { ErrorKind, TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ReadLinesRequest } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import { ByteCursor } from "./byte-cursor.js";
import { fileInfo } from "./file-info.js";
import { lineUnitOf } from "./line-unit.js";
import { readLineWindow } from "./line-window.js";
import { openFile } from "./open-file.js";
import type { FilePlaces } from "./open-file.js";
import { readAtOf } from "./read-at.js";
import { findLayout, sampleBytes } from "./text-layout.js";

const maxAnswerBytes = 1024 * 1024;

/** Options of createReadLinesHandler. */
export interface ReadLinesHandlerOptions {
  readonly places: FilePlaces;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/** Makes the handler of ReadLines. */
export function createReadLinesHandler({ places, now }: ReadLinesHandlerOptions): AgentHandlers["readLines"] {
  return async (request, { signal }) => {
    checkRequest(request);
    const expiresAt = now() + request.scanMs;
    const file = openFile(request.path, places);
    try {
      const cursor = new ByteCursor(readAtOf(file, request.path));
      await cursor.more();
      const head = Buffer.from(cursor.chunk.subarray(0, sampleBytes));
      const { layout, bomBytes } = findLayout(head);
      const response = { info: fileInfo(file), layout, head, bomBytes };
      if (layout === TextLayout.BINARY) return response;
      cursor.at = bomBytes;
      const { lines, ...rest } = await readLineWindow({
        cursor,
        unit: lineUnitOf(layout),
        firstLine: request.firstLine,
        maxLines: request.maxLines,
        maxBytes: request.maxBytes,
        maxLineBytes: request.maxLineBytes,
        lineOffsetBytes: Number(request.lineOffsetBytes),
        isExpired: () => now() >= expiresAt,
        signal,
      });
      return {
        ...response,
        ...rest,
        lines: lines.map(({ data, omittedBytes }) => ({ data, omittedBytes: BigInt(omittedBytes) })),
      };
    } finally {
      closeSync(file.fd);
    }
  };
}

function checkRequest(request: ReadLinesRequest): void {
  const { firstLine, maxLines, maxBytes, maxLineBytes, lineOffsetBytes, scanMs } = request;
  for (const [name, value] of Object.entries({ firstLine, maxLines, maxBytes, maxLineBytes, scanMs }))
    if (value < 1) throw agentFailure(ErrorKind.INVALID, `${name} ${value} is below 1`);
  if (maxBytes > maxAnswerBytes)
    throw agentFailure(ErrorKind.INVALID, `maxBytes ${maxBytes} is above the limit of ${maxAnswerBytes}`);
  if (lineOffsetBytes < 0n)
    throw agentFailure(ErrorKind.INVALID, `lineOffsetBytes ${lineOffsetBytes} is below 0`);
  if (lineOffsetBytes > 0n && maxLines !== 1)
    throw agentFailure(ErrorKind.INVALID, `lineOffsetBytes needs maxLines 1, not ${maxLines}`);
}
