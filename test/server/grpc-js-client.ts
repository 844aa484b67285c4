import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { onTestFinished } from "vitest";

import type { RunningServer } from "../../src/server/server-options.js";

interface ToolServiceClient extends grpc.Client {
  ListTools(
    request: object,
    options: grpc.CallOptions,
    done: (error: grpc.ServiceError | null, answer?: { etag: string }) => void,
  ): grpc.ClientUnaryCall;
  ExecuteTool(
    request: object,
    options: grpc.CallOptions,
  ): grpc.ClientReadableStream<{ event: { event: string } }>;
}

const definition = loadSync("handrail/v1/tool_service.proto", {
  includeDirs: ["proto", "third_party"],
  oneofs: true,
  keepCase: true,
});
const { ToolService } = (
  grpc.loadPackageDefinition(definition) as unknown as {
    handrail: {
      v1: { ToolService: new (...args: ConstructorParameters<typeof grpc.Client>) => ToolServiceClient };
    };
  }
).handrail.v1;

/** A grpc-js client of ToolService, made from the proto files, closed when the test ends. */
export function grpcJsClient(server: RunningServer, options: grpc.ClientOptions = {}): ToolServiceClient {
  const { host, port } = server.address;
  const client = new ToolService(`${host}:${port}`, grpc.credentials.createInsecure(), options);
  onTestFinished(() => client.close());
  return client;
}

/** Calls ListTools. Rejects with the ServiceError. */
export function listTools(client: ToolServiceClient, options: grpc.CallOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    client.ListTools({}, options, (error, answer) => (error ? reject(error) : resolve(answer?.etag ?? "")));
  });
}
