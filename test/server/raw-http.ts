import { once } from "node:events";
import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { connect as connectHttp2 } from "node:http2";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";

import type { RunningServer } from "../../src/server/server-options.js";

/** A raw connection to the server, closed when the test ends. */
export async function rawSocket(server: RunningServer): Promise<Socket> {
  const socket = connect(server.address.port, server.address.host);
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Reads until the text matches or the socket ends. */
export async function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (pattern.test(text)) break;
  }
  return text;
}

/** Sends one raw HTTP/1.1 request with `Connection: close` and reads the whole answer. */
export async function rawHttp1(server: RunningServer, head: string): Promise<string> {
  const socket = await rawSocket(server);
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  return readUntil(socket, /(?!)/);
}

/** An HTTP/2 session with the server, by its own or the given socket, closed when the test ends. */
export async function http2Session(server: RunningServer, socket?: Socket): Promise<ClientHttp2Session> {
  const session = connectHttp2(server.url, {
    rejectUnauthorized: false,
    ...(socket && { createConnection: () => socket }),
  });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  return session;
}

/** What came back on one HTTP/2 stream. */
export interface Http2Answer {
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the stream had no second HEADERS frame. */
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly body: Buffer;
  /** True if the first HEADERS frame ended the stream. */
  readonly endedByHeaders: boolean;
}

const endStreamFlag = 1;
const sliceBytes = 1024 * 1024;

function* slices(body: Uint8Array) {
  for (let at = 0; at < body.length; at += sliceBytes) yield body.subarray(at, at + sliceBytes);
}

/** Sends one request on an HTTP/2 session and waits for the whole answer. */
export async function http2Request(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Uint8Array = new Uint8Array(),
): Promise<Http2Answer> {
  const stream = session.request(headers);
  let answer: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders | undefined;
  let endedByHeaders = false;
  const chunks: Buffer[] = [];
  stream.on("response", (received, flags) => {
    answer = received;
    endedByHeaders = (flags & endStreamFlag) !== 0;
  });
  stream.on("trailers", (received: IncomingHttpHeaders) => (trailers = received));
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("error", () => undefined);
  Readable.from(slices(body)).pipe(stream);
  await new Promise((resolve) => stream.once("close", resolve));
  return { headers: answer, trailers, body: Buffer.concat(chunks), endedByHeaders };
}

/** Headers of a gRPC request to a method of ToolService. */
export function grpcHeaders(method: string, more: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return {
    ":method": "POST",
    ":path": `/handrail.v1.ToolService/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
    ...more,
  };
}

/** An enveloped message, empty by default. */
export function envelope(message: Uint8Array = new Uint8Array()): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
