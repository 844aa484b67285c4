import { randomUUID } from "node:crypto";
import { connect } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import {
  ExecuteToolRequestSchema,
  ExecuteToolResponseSchema,
} from "../../gen/handrail/v1/tool_service_pb.js";

const PATH = "/handrail.v1.ToolService/ExecuteTool";
const HEADER_BYTES = 5;

/**
 * Speaks gRPC by node:http2 and nothing else, as the yardstick of a raw spawn is a Node process with nothing else: what
 * it measures is the service and the protocol, not a client library.
 */
export class WireClient {
  readonly #session: ClientHttp2Session;
  readonly #project: string;

  constructor(url: string, project: string) {
    this.#session = connect(url);
    this.#project = project;
  }

  /** Runs a tool to its end, by a stream. Rejects unless it is OK. */
  async run(tool: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    const bytes = await this.#exchange(
      toBinary(
        ExecuteToolRequestSchema,
        create(ExecuteToolRequestSchema, {
          context: { projectId: this.#project, turnId: randomUUID() },
          tool,
          callId: randomUUID(),
          input: { case: "argumentsJson", value: JSON.stringify(args) },
        }),
      ),
    );
    const last = messages(bytes)
      .map((message) => fromBinary(ExecuteToolResponseSchema, message))
      .at(-1)?.event?.event;
    if (last?.case !== "result" || last.value.outcome !== Outcome.OK)
      throw new Error(`ExecuteTool of ${tool} did not end OK`);
  }

  close(): void {
    this.#session.close();
  }

  #exchange(message: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({
        ":method": "POST",
        ":path": PATH,
        "content-type": "application/grpc+proto",
        te: "trailers",
      });
      const chunks: Buffer[] = [];
      let status: unknown;
      stream.on("trailers", (trailers: Record<string, unknown>) => (status = trailers["grpc-status"]));
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("error", reject);
      stream.once("end", () => {
        if (status === "0") resolve(Buffer.concat(chunks));
        else reject(new Error(`ExecuteTool ended with status ${String(status)}`));
      });
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32BE(message.byteLength, 1);
      stream.end(Buffer.concat([header, message]));
    });
  }
}

function messages(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const start = at + HEADER_BYTES;
    at = start + bytes.readUInt32BE(at + 1);
    found.push(bytes.subarray(start, at));
  }
  return found;
}
