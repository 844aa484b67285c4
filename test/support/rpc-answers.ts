import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";

/** Code and reason of an RPC that is refused. Throws if it is not. */
export async function reasonOf(pending: Promise<unknown>): Promise<[string, string]> {
  try {
    await pending;
  } catch (error) {
    const status = ConnectError.from(error);
    return [Code[status.code], status.findDetails(ErrorInfoSchema)[0]?.reason ?? "none"];
  }
  throw new Error("the RPC was not refused");
}

/** All events of a stream. */
export async function collectEvents(
  events: AsyncIterable<{ event?: CallEvent | undefined }>,
): Promise<CallEvent[]> {
  const all: CallEvent[] = [];
  for await (const { event } of events) if (event !== undefined) all.push(event);
  return all;
}

/** Reads a stream to its end. */
export async function readToEnd(stream: AsyncIterable<unknown>): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}
