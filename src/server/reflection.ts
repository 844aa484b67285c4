import type { DescFile } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";

import type { ServerReflectionRequest as RequestV1 } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ReflectionV1 } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import type { ServerReflectionRequest as RequestV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { ServerReflection as ReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { DescriptorIndex, encodeWithImports } from "./descriptor-index.js";

/** What reflection tells of. */
export interface ReflectionOptions {
  /** Full names of the services that are served. */
  readonly services: () => readonly string[];
  /** The files to tell of; what they import is found from them. */
  readonly files: () => Iterable<DescFile>;
}

type Question = RequestV1["messageRequest"] | RequestV1Alpha["messageRequest"];

/** Registers grpc.reflection.v1 and v1alpha, without interceptors. */
export function addReflection(router: ConnectRouter, { services, files }: ReflectionOptions): void {
  let index: DescriptorIndex | undefined;
  const answer = (question: Question) => {
    index ??= new DescriptorIndex(files());
    return reflect(question, { index, services: services() });
  };
  router.service(
    ReflectionV1,
    {
      async *serverReflectionInfo(requests) {
        for await (const request of requests) {
          yield {
            validHost: request.host,
            originalRequest: request,
            messageResponse: answer(request.messageRequest),
          };
        }
      },
    },
    { interceptors: [] },
  );
  router.service(
    ReflectionV1Alpha,
    {
      async *serverReflectionInfo(requests) {
        for await (const request of requests) {
          yield {
            validHost: request.host,
            originalRequest: request,
            messageResponse: answer(request.messageRequest),
          };
        }
      },
    },
    { interceptors: [] },
  );
}

interface Known {
  readonly index: DescriptorIndex;
  readonly services: readonly string[];
}

function reflect(question: Question, { index, services }: Known) {
  switch (question.case) {
    case "listServices":
      return {
        case: "listServicesResponse" as const,
        value: { service: services.map((name) => ({ name })) },
      };
    case "fileByFilename":
      return found(index.file(question.value), `file "${question.value}"`);
    case "fileContainingSymbol":
      return found(index.fileOfSymbol(question.value), `symbol "${question.value}"`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = question.value;
      return found(undefined, `extension ${extensionNumber} of "${containingType}"`);
    }
    case "allExtensionNumbersOfType":
      return index.hasMessage(question.value)
        ? {
            case: "allExtensionNumbersResponse" as const,
            value: { baseTypeName: question.value, extensionNumber: [] },
          }
        : found(undefined, `message "${question.value}"`);
    case undefined:
      return errorAnswer(
        Code.InvalidArgument,
        "the request asks for nothing; set one field of message_request",
      );
  }
}

function found(file: DescFile | undefined, what: string) {
  if (file === undefined) return errorAnswer(Code.NotFound, `${what} is not known here`);
  return {
    case: "fileDescriptorResponse" as const,
    value: { fileDescriptorProto: encodeWithImports(file) },
  };
}

function errorAnswer(errorCode: Code, errorMessage: string) {
  return { case: "errorResponse" as const, value: { errorCode, errorMessage } };
}
