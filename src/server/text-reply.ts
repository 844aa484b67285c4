import type { NodeResponse } from "./node-exchange.js";
import { writeResponse } from "./response-writer.js";

/** A short plain answer that is no RPC. */
export interface TextReply {
  readonly status: number;
  /** One or more lines, without a line break at the end. Empty for none. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a plain answer. Resolves once it is sent or the client is gone. */
export function sendText(response: NodeResponse, { status, text, headers }: TextReply): Promise<void> {
  const header = new Headers(headers);
  if (text === "") return writeResponse(response, { status, header });
  const bytes = Buffer.from(`${text}\n`);
  header.set("content-type", "text/plain; charset=utf-8");
  header.set("content-length", String(bytes.length));
  header.set("x-content-type-options", "nosniff");
  return writeResponse(response, { status, header, body: oneChunk(bytes) });
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
