import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";

import { ServerReflection as ReflectionV1 } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import type { ServerReflectionRequest } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import type { RunningServer } from "../../src/server/server-options.js";
import { serve } from "./serve.js";

type Question = ServerReflectionRequest["messageRequest"];

async function ask(messageRequest: Question, service: typeof ReflectionV1 = ReflectionV1) {
  const server = await serve();
  const client = createClient(service, createGrpcTransport({ baseUrl: server.url }));
  async function* requests() {
    yield await Promise.resolve({ host: "here", messageRequest });
  }
  for await (const { messageResponse } of client.serverReflectionInfo(requests())) return messageResponse;
  throw new Error("no answer");
}

async function filesFor(question: Question) {
  const answer = await ask(question);
  if (answer.case !== "fileDescriptorResponse") throw new Error(`answered ${String(answer.case)}`);
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}

describe("reflection", () => {
  for (const [version, service] of [
    ["v1", ReflectionV1],
    ["v1alpha", ReflectionV1Alpha as unknown as typeof ReflectionV1],
  ] as const) {
    test(`${version} lists the services`, async () => {
      const answer = await ask({ case: "listServices", value: "" }, service);
      expect(answer).toMatchObject({
        case: "listServicesResponse",
        value: {
          service: expect.arrayContaining([
            expect.objectContaining({ name: "handrail.v1.ToolService" }),
          ]) as unknown,
        },
      });
    });
  }

  test("gives a file with all that it imports", async () => {
    const names = await filesFor({ case: "fileByFilename", value: "handrail/v1/tool_service.proto" });
    expect(names[0]).toBe("handrail/v1/tool_service.proto");
    expect(names).toContain("handrail/v1/result.proto");
    expect(names).toContain("google/protobuf/struct.proto");
  });

  for (const [symbol, file] of [
    ["handrail.v1.ToolService", "handrail/v1/tool_service.proto"],
    ["handrail.v1.ToolService.ExecuteTool", "handrail/v1/tool_service.proto"],
    ["handrail.v1.ListToolsRequest", "handrail/v1/tool_service.proto"],
    ["handrail.v1.ListToolsRequest.context", "handrail/v1/tool_service.proto"],
    ["handrail.v1.KEEP_HEAD", "handrail/v1/tool_service.proto"],
    ["google.rpc.ErrorInfo", "google/rpc/error_details.proto"],
    ["google.protobuf.Struct", "google/protobuf/struct.proto"],
  ]) {
    test(`finds the file of ${symbol ?? ""}`, async () => {
      expect((await filesFor({ case: "fileContainingSymbol", value: symbol ?? "" }))[0]).toBe(file);
    });
  }

  for (const [what, question] of [
    ["a file", { case: "fileByFilename", value: "no.proto" }],
    ["a symbol", { case: "fileContainingSymbol", value: "no.Such" }],
    [
      "the sandbox's own service",
      { case: "fileContainingSymbol", value: "handrail.sandbox.v1.AgentService" },
    ],
    [
      "an extension",
      {
        case: "fileContainingExtension",
        value: {
          $typeName: "grpc.reflection.v1.ExtensionRequest",
          containingType: "handrail.v1.Tool",
          extensionNumber: 1,
        },
      },
    ],
    ["a type's extensions", { case: "allExtensionNumbersOfType", value: "no.Such" }],
  ] as const satisfies readonly (readonly [string, Question])[]) {
    test(`answers NOT_FOUND for ${what} it does not have`, async () => {
      expect(await ask(question)).toMatchObject({ case: "errorResponse", value: { errorCode: 5 } });
    });
  }

  test("answers that a known type has no extensions", async () => {
    expect(await ask({ case: "allExtensionNumbersOfType", value: "handrail.v1.Tool" })).toMatchObject({
      case: "allExtensionNumbersResponse",
      value: { baseTypeName: "handrail.v1.Tool", extensionNumber: [] },
    });
  });
});

describe("buf curl without a schema", () => {
  async function bufCurl(server: RunningServer, ...args: string[]): Promise<string> {
    const buf = promisify(execFile)("node_modules/.bin/buf", ["curl", "--http2-prior-knowledge", ...args]);
    expect(server.draining).toBe(false);
    return (await buf).stdout;
  }

  test("lists the services", async () => {
    const server = await serve();
    expect((await bufCurl(server, "--list-services", server.url)).trim().split("\n")).toContain(
      "handrail.v1.ToolService",
    );
  });

  test("lists the methods", async () => {
    const server = await serve();
    const methods = (await bufCurl(server, "--list-methods", server.url)).trim().split("\n");
    expect(methods).toContain("handrail.v1.ToolService/ExecuteTool");
  });

  for (const protocol of ["grpc", "grpcweb", "connect"]) {
    test(`calls by ${protocol}`, async () => {
      const server = await serve();
      const url = `${server.url}/handrail.v1.ToolService/ListTools`;
      const answer = await bufCurl(server, "--protocol", protocol, "-d", "{}", url);
      expect(JSON.parse(answer)).toEqual({ etag: "v1" });
    });
  }

  test("reads the schema by v1alpha", async () => {
    const server = await serve();
    const reflect = ["--reflect-protocol", "grpc-v1alpha"];
    expect(await bufCurl(server, ...reflect, "--list-services", server.url)).toContain(
      "handrail.v1.ToolService",
    );
  });
});
