import type { OutgoingHttpHeaders } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";

import { recodeGrpcMessage } from "./grpc-message.js";
import type { NodeResponse } from "./node-exchange.js";
import { isHttp2Response } from "./node-exchange.js";
import { isGone, writableOrClosed, writtenOrClosed } from "./response-progress.js";
import { dropUnread } from "./unread-request.js";

/**
 * Writes the answer of an RPC. An error before the first message of a gRPC call over HTTP/2 goes out as one HEADERS
 * frame that ends the stream, which lets clients retry it. Chunks wait for the client to read. Resolves once everything
 * is handed to the connection or the client is gone; rejects with what the body throws.
 */
export async function writeResponse(response: NodeResponse, answer: UniversalServerResponse): Promise<void> {
  const chunks = answer.body?.[Symbol.asyncIterator]();
  try {
    let chunk = await chunks?.next();
    if (isGone(response)) return;
    if (isHttp2Response(response) && chunk?.done !== false && isGrpcError(answer)) {
      writeTrailersOnly(response, answer);
      return;
    }
    writeHead(response, answer);
    while (chunk?.done === false && !isGone(response)) {
      if (!write(response, chunk.value)) await writableOrClosed(response);
      chunk = await chunks?.next();
    }
    await end(response, answer);
  } finally {
    await chunks?.return?.();
  }
}

/** Ends a response, with the trailers of the answer over HTTP/2, and drops what is unread of the request. */
async function end(response: NodeResponse, { trailer }: UniversalServerResponse): Promise<void> {
  if (isGone(response)) return;
  if (trailer !== undefined && isHttp2Response(response)) response.addTrailers(toNodeHeaders(trailer));
  if (isHttp2Response(response)) dropUnread(response);
  response.end();
  await writtenOrClosed(response);
}

function writeHead(response: NodeResponse, { status, header }: UniversalServerResponse): void {
  const headers = toNodeHeaders(header ?? new Headers());
  if (isHttp2Response(response)) response.writeHead(status, headers);
  else response.writeHead(status, headers);
}

/** Writes bytes; those of one turn leave together. False if the client has to read before more is written. */
function write(response: NodeResponse, bytes: Uint8Array): boolean {
  if (!isHttp2Response(response)) return response.write(bytes);
  const { stream } = response;
  stream.cork();
  process.nextTick(() => stream.uncork());
  return response.write(bytes);
}

function isGrpcError({ trailer }: UniversalServerResponse): boolean {
  const status = trailer?.get("grpc-status");
  return status !== undefined && status !== null && status !== "0";
}

function writeTrailersOnly(
  response: Http2ServerResponse,
  { status, header, trailer }: UniversalServerResponse,
): void {
  response.stream.respond(
    {
      ":status": status,
      ...response.getHeaders(),
      ...toNodeHeaders(header ?? new Headers()),
      ...toNodeHeaders(trailer ?? new Headers()),
    },
    { endStream: true },
  );
  dropUnread(response);
}

function toNodeHeaders(headers: Headers): OutgoingHttpHeaders {
  const result: OutgoingHttpHeaders = {};
  for (const [name, value] of headers) {
    result[name] = name === "grpc-message" ? recodeGrpcMessage(value) : value;
  }
  return result;
}
