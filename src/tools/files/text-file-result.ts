import { TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { Line, ReadLinesResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { textResult, toolError } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { createFileDecoder } from "../../text/file-decoder.js";
import type { FileDecoder } from "../../text/file-decoder.js";
import { neutralise } from "../../text/neutralise.js";
import { numberLine } from "../../text/number-lines.js";
import type { TextLayout as LayoutName, TextPiece } from "../../text/text-decoding.js";

/** Bytes of the budget that are kept free for notices. */
const NOTICE_BYTES = 400;

const LAYOUTS: Readonly<Partial<Record<TextLayout, LayoutName>>> = {
  [TextLayout.UTF16LE]: "utf16le",
  [TextLayout.UTF16BE]: "utf16be",
};

/** What was asked of a text file. */
export interface TextRequest {
  readonly path: string;
  /** First line, from 1. */
  readonly offset: number;
  /** First byte inside that line; undefined if whole lines are read. */
  readonly lineOffset: number | undefined;
  /** Most bytes of text to return. */
  readonly budgetBytes: number;
}

/** A window of a text file with line numbers, and notices that say how to go on. */
export function textFileResult(window: ReadLinesResponse, request: TextRequest): ToolResult {
  if (window.lines.length === 0) return noLines(window, request);
  const pieces = window.lines.map((line) => pieceOf(line, request));
  const decoder = createFileDecoder({
    head: window.head,
    layout: LAYOUTS[window.layout] ?? "bytes",
    bomBytes: window.bomBytes,
    lines: pieces,
  });
  const { rows, usedBytes } = fitRows(window.lines, { pieces, decoder, request });
  const lastLine = request.offset + rows.length - 1;
  const complete = window.atEnd && rows.length === window.lines.length;
  const notices = [
    ...restNotice({ window, rows: rows.length, lastLine, complete, request, usedBytes }),
    ...encodingNotice(decoder),
  ];
  return textResult([rows.join("\n"), ...notices.map((notice) => `[${notice}]`)].join("\n"), {
    structured: {
      kind: "text",
      first_line: request.offset,
      last_line: lastLine,
      total_lines: window.atEnd ? window.linesSeen : null,
      complete,
      encoding: decoder.encoding,
      lossy: decoder.lossy,
      bom: window.bomBytes > 0,
      size_bytes: Number(window.info?.sizeBytes ?? 0n),
    },
  });
}

function pieceOf(line: Line, { lineOffset = 0 }: TextRequest): TextPiece {
  return { data: line.data, cutStart: lineOffset > 0, cutEnd: line.omittedBytes > BigInt(lineOffset) };
}

function fitRows(
  lines: readonly Line[],
  options: { pieces: readonly TextPiece[]; decoder: FileDecoder; request: TextRequest },
): { rows: string[]; usedBytes: number } {
  const { pieces, decoder, request } = options;
  const roomBytes = Math.max(0, request.budgetBytes - NOTICE_BYTES);
  const rows: string[] = [];
  let usedBytes = 0;
  for (const [index, line] of lines.entries()) {
    const piece = pieces[index];
    if (piece === undefined) break;
    const number = request.offset + index;
    const row = numberLine(number, lineText({ line, piece, decoder, number, request }));
    const bytes = Buffer.byteLength(row) + 1;
    if (rows.length > 0 && usedBytes + bytes > roomBytes) break;
    usedBytes += bytes;
    rows.push(row);
  }
  return { rows, usedBytes };
}

function lineText(options: {
  line: Line;
  piece: TextPiece;
  decoder: FileDecoder;
  number: number;
  request: TextRequest;
}): string {
  const { line, piece, decoder, number, request } = options;
  const { text, skippedEndBytes } = decoder.decode(piece);
  const shown = neutralise(text.replaceAll("\r", "\\r"));
  const from = request.lineOffset ?? 0;
  const omittedAfter = Number(line.omittedBytes) - from + skippedEndBytes;
  if (omittedAfter <= 0) return shown;
  const next = from + line.data.byteLength - skippedEndBytes;
  return `${shown}… [${omittedAfter} more bytes in this line; go on with offset ${number}, line_offset ${next}]`;
}

function restNotice(options: {
  window: ReadLinesResponse;
  rows: number;
  lastLine: number;
  complete: boolean;
  request: TextRequest;
  usedBytes: number;
}): string[] {
  const { window, lastLine, complete, request } = options;
  if (request.lineOffset !== undefined) return [];
  if (complete) return window.finalNewline ? [] : ["the file does not end in a line end"];
  const total = window.atEnd ? ` of ${window.linesSeen}` : "";
  return [`lines ${request.offset} to ${lastLine}${total}; go on with offset ${lastLine + 1}`];
}

function encodingNotice({ encoding, lossy }: FileDecoder): string[] {
  if (encoding === "utf-8") return lossy ? ["some bytes are not UTF-8 and are shown as \ufffd"] : [];
  const sure = lossy ? "; the encoding is a guess, and some characters may be wrong" : "";
  return [`the file is in ${encoding}${sure}`];
}

function noLines(window: ReadLinesResponse, { path, offset }: TextRequest): ToolResult {
  const shown = JSON.stringify(path);
  if ((window.info?.sizeBytes ?? 0n) === BigInt(window.bomBytes) && window.linesSeen === 0) {
    if (/\.(png|jpe?g|gif|webp)$/i.test(path)) {
      return toolError({
        code: "read.picture_refused",
        message: `${shown} is named as a picture but is empty.`,
      });
    }
    return textResult("(the file is empty)", {
      structured: { kind: "text", total_lines: 0, complete: true, size_bytes: window.bomBytes },
    });
  }
  if (window.scanStopped) {
    return toolError({
      code: "read.scan_stopped",
      message: `Line ${offset} of ${shown} was not reached in time; ${window.linesSeen} lines were passed.`,
      hint: "Take a part of the file with a program, such as tail -c or sed.",
    });
  }
  return toolError({
    code: "read.past_end",
    message: `offset ${offset} is past the end of ${shown}, which has ${window.linesSeen} lines.`,
    hint: "Use a smaller offset.",
  });
}
