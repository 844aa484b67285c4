import type { ConnectError } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { createAsyncIterable, encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  createEndStreamSerialization,
  endStreamFlag,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";

import type { RequestProtocol } from "./request-protocol.js";

/** Options of errorResponse. */
export interface ErrorResponseOptions {
  readonly protocol: RequestProtocol;
  /** Content type of the request, which the answer repeats. */
  readonly contentType: string;
  readonly error: ConnectError;
}

/** The answer to an RPC that is refused before its body is read, in the protocol of the request. */
export function errorResponse({
  protocol,
  contentType,
  error,
}: ErrorResponseOptions): UniversalServerResponse {
  const header = new Headers({ "content-type": contentType });
  switch (protocol) {
    case "grpc":
      return { status: 200, header, trailer: setTrailerStatus(new Headers(), error) };
    case "grpc-web":
      return { status: 200, header: setTrailerStatus(header, error) };
    case "connect-stream": {
      const end = createEndStreamSerialization(undefined).serialize({ metadata: new Headers(), error });
      return { status: 200, header, body: createAsyncIterable([encodeEnvelope(endStreamFlag, end)]) };
    }
    case "connect":
      header.set("content-type", contentTypeUnaryJson);
      return {
        status: codeToHttpStatus(error.code),
        header,
        body: createAsyncIterable([errorToJsonBytes(error, undefined)]),
      };
  }
}
