import type { Client, ConnectError, Transport } from "@connectrpc/connect";
import { ConnectError as ConnectErrorClass, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";

import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { RunningServer } from "../../src/server/server-options.js";

/** Every protocol and HTTP version in which the service can be called. */
export const transports: Readonly<Record<string, (server: RunningServer) => Transport>> = {
  "gRPC over h2": ({ url }) => createGrpcTransport({ baseUrl: url }),
  "gRPC-Web over h1": ({ url }) => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" }),
  "gRPC-Web over h2": ({ url }) => createGrpcWebTransport({ baseUrl: url, httpVersion: "2" }),
  "Connect over h1": ({ url }) => createConnectTransport({ baseUrl: url, httpVersion: "1.1" }),
  "Connect over h2": ({ url }) => createConnectTransport({ baseUrl: url, httpVersion: "2" }),
};

/** A client of ToolService by one of the transports. */
export function clientOf(server: RunningServer, name: string): Client<typeof ToolService> {
  const makeTransport = transports[name];
  if (makeTransport === undefined) throw new RangeError(`no transport ${name}`);
  return createClient(ToolService, makeTransport(server));
}

/** The error with which a call ends. Throws if it succeeds. */
export async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  try {
    await call;
  } catch (reason) {
    return ConnectErrorClass.from(reason);
  }
  throw new Error("the call succeeded");
}

/** Reads a stream to its end and answers the number of messages. */
export async function drainStream(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const message of stream) if (message !== undefined) count += 1;
  return count;
}

/** Reads a stream by hand. */
export function iterate<T>(stream: AsyncIterable<T>): AsyncIterator<T> {
  return stream[Symbol.asyncIterator]();
}
